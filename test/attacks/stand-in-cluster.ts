import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in for the API server of a member, with only the requests that the controller of a cluster set sends. */
export interface StandInCluster {
  readonly url: string;
  /** Kubeconfig, as JSON. */
  readonly kubeconfig: string;
  /** Requests so far. */
  requests(): number;
  /** Imports that the controller made, `namespace/name`. */
  imports(): string[];
  /** Those that it ever made. */
  everImported(): string[];
  /** Names of the clusters of an import. */
  exportersOf(key: string): string[];
  /** The condition that the controller wrote for a pool. */
  exported(key: string): { status: string; reason: string; message: string } | undefined;
  /** Adds a pool, or changes it. */
  put(pool: PoolOfMember): void;
  close(): Promise<void>;
}

export interface PoolOfMember {
  readonly namespace: string;
  readonly name: string;
  readonly created?: string;
  /** The address of the picker's Service; default 10.0.0.1. */
  readonly address?: string;
  readonly targetPort?: number;
}

export interface StandInOptions {
  readonly uid: string;
  readonly pools?: readonly PoolOfMember[];
  readonly namespaces?: readonly string[];
  /** Handles a request instead of the stand-in if it returns true. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;
}

type Json = Record<string, unknown> & {
  metadata: { name: string; namespace: string; resourceVersion: string; uid: string };
  status?: {
    controllers?: Array<{ exportingClusters: Array<{ name: string }> }>;
    parents?: never[];
  };
};

export async function standInCluster({
  uid,
  pools = [],
  namespaces = ["ml"],
  instead = () => false,
}: StandInOptions): Promise<StandInCluster> {
  const known = {
    inferencepools: new Map<string, Json>(),
    inferencepoolimports: new Map<string, Json>(),
  };
  const services = new Map<string, object>();
  const everImported = new Set<string>();
  const watches = new Map<string, Set<ServerResponse>>();
  let version = 1;
  let requests = 0;
  const next = () => {
    version += 1;
    return String(version);
  };
  const tell = (kind: string, type: string, object: object) => {
    for (const watch of watches.get(kind) ?? [])
      watch.write(`${JSON.stringify({ type, object })}\n`);
  };
  const put = ({
    namespace,
    name,
    created,
    address = "10.0.0.1",
    targetPort = 8000,
  }: PoolOfMember) => {
    const key = `${namespace}/${name}`;
    const metadata = {
      ...{ namespace, name, uid: `${uid}-${name}`, resourceVersion: next() },
      creationTimestamp: created ?? "2026-01-01T00:00:00Z",
      annotations: { "inference.networking.x-k8s.io/export": "ClusterSet" },
    };
    const spec = {
      ...{ targetPorts: [{ number: targetPort }], selector: { matchLabels: { app: "m" } } },
      endpointPickerRef: { name: `${name}-epp`, port: { number: 9002 } },
    };
    services.set(`${key}-epp`, {
      metadata: { namespace, name: `${name}-epp`, uid: name, resourceVersion: next() },
      spec: { type: "ClusterIP", clusterIPs: [address], ports: [{ port: 9002 }] },
    });
    known.inferencepools.set(key, { metadata, spec, status: {} } as unknown as Json);
    tell("inferencepools", "ADDED", known.inferencepools.get(key) ?? {});
  };
  for (const pool of pools) put(pool);
  const listed = (kind: string): object[] => {
    if (kind === "inferencepools" || kind === "inferencepoolimports")
      return [...known[kind].values()];
    if (kind === "services") return [...services.values()];
    if (kind !== "namespaces") return [];
    return ["kube-system", ...namespaces].map((name) => ({
      metadata: {
        name,
        uid: name === "kube-system" ? uid : `${uid}-${name}`,
        resourceVersion: "1",
      },
    }));
  };
  const server = createServer(async (request, response) => {
    requests += 1;
    const url = new URL(request.url ?? "/", "http://server");
    response.on("error", () => {});
    if (instead(request, response, url)) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    const json = (code: number, value: object) =>
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (url.pathname.startsWith("/openapi/")) return json(200, openApi);
    const [, , namespace = "", kind = "", name, sub] =
      /^\/apis?(\/[^/]+)?\/[^/]+\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
        url.pathname,
      ) ?? [];
    const plural = url.pathname.split("/").at(-1) ?? "";
    if (request.method === "GET" && url.searchParams.get("watch") === "true") {
      response.writeHead(200).flushHeaders();
      const open = watches.get(plural) ?? new Set();
      watches.set(plural, open.add(response));
      response.on("close", () => open.delete(response));
      return;
    }
    if (request.method === "GET") {
      const one = listed(kind || plural).find((each) => (each as Json).metadata.name === name);
      if (url.pathname === "/api/v1/namespaces/kube-system")
        return json(200, listed("namespaces")[0] ?? {});
      if (name !== undefined) return one ? json(200, one) : json(404, status(404));
      return json(200, { metadata: { resourceVersion: String(version) }, items: listed(plural) });
    }
    if (kind !== "inferencepools" && kind !== "inferencepoolimports") return json(404, status(404));
    const key = `${namespace}/${name ?? body.metadata.name}`;
    const before = known[kind].get(key);
    if (request.method === "DELETE") {
      known[kind].delete(key);
      tell(kind, "DELETED", {
        ...before,
        metadata: { ...before?.metadata, resourceVersion: next() },
      });
      return json(200, {});
    }
    const metadata = {
      ...(before?.metadata ?? { ...body.metadata, uid: `${uid}-import-${key}` }),
      resourceVersion: next(),
    };
    const object = {
      ...before,
      metadata,
      ...(sub === "status" && { status: body.status }),
    } as Json;
    known[kind].set(key, object);
    if (kind === "inferencepoolimports") everImported.add(key);
    tell(kind, before === undefined ? "ADDED" : "MODIFIED", object);
    json(request.method === "POST" ? 201 : 200, object);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    kubeconfig: standInKubeconfig(url),
    requests: () => requests,
    imports: () => [...known.inferencepoolimports.keys()],
    everImported: () => [...everImported],
    exportersOf: (key) =>
      (known.inferencepoolimports.get(key)?.status?.controllers?.[0]?.exportingClusters ?? []).map(
        ({ name }) => name,
      ),
    exported: (key) => {
      const parents = (known.inferencepools.get(key)?.status?.parents ?? []) as Array<{
        conditions: Array<{ type: string; status: string; reason: string; message: string }>;
      }>;
      return parents[0]?.conditions.find(({ type }) => type === "Exported");
    },
    put,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Kubeconfig of a stand-in for an API server, as JSON. */
export const standInKubeconfig = (server: string): string =>
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  });

const status = (code: number) => ({ kind: "Status", code, message: "of a stand-in" });

/** OpenAPI of a cluster whose kind of import is defined by this project. */
const openApi = {
  components: {
    schemas: {
      import: {
        "x-kubernetes-group-version-kind": [{ kind: "InferencePoolImport" }],
        properties: { status: { properties: { clusters: {} } } },
      },
    },
  },
};
