import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import { type KubernetesClient, newKubernetesClient } from "../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../kubernetes/api/load-kubeconfig.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { newLog } from "../../runtime/manager/log.ts";
import {
  MultiClusterController,
  type MultiClusterControllerOptions,
} from "../../runtime/multi-cluster/controller/controller.ts";
import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import { annotation } from "../../sdk/names.ts";
import { defaultControllerName } from "../../sdk/topology/multi-cluster-names.ts";
import { type Cluster, startCluster } from "../../testing/api/api-server.ts";
import type { WriteRequest } from "../../testing/api/cluster.ts";
import { crdsWithOwn } from "../../testing/api/install-crds.ts";
import { type Crd, upstreamCrd, upstreamCrds } from "../../testing/api/upstream-crds.ts";
import { type CuttableProxy, startCuttableProxy } from "../../testing/proxies/cuttable-proxy.ts";

/** Several API servers as one cluster set, each behind a proxy that a test can cut. */
export interface TestSet {
  readonly members: readonly TestMember[];
  member(name: string): TestMember;
  stop(): Promise<void>;
}

export interface TestMember {
  readonly name: string;
  readonly cluster: Cluster;
  readonly proxy: CuttableProxy;
  /** Kubeconfig by way of the proxy. */
  readonly kubeconfig: string;
  /** Writes of the controllers since the last call. */
  newWrites(): WriteRequest[];
}

export interface TestSetOptions {
  readonly names: readonly string[];
  /** Whether all API servers keep their data in one etcd. */
  readonly sharedEtcd: boolean;
  /**
   * Members that serve the InferencePoolImport of the inference extension instead of the InferencePoolImport of this
   * project.
   */
  readonly shipped: readonly string[];
}

const group = "inference.networking.k8s.io";

export async function startSet({ names, sharedEtcd, shipped }: TestSetOptions): Promise<TestSet> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-set-"));
  const startOne = async (name: string, first?: TestMember): Promise<TestMember> => {
    const etcd = sharedEtcd && first && { url: first.cluster.etcd, prefix: `/${name}` };
    const crds = await kindsOf(shipped.includes(name));
    const cluster = await startCluster({ crds, recordWrites: true, ...(etcd && { etcd }) });
    const proxy = await startCuttableProxy(Number(new URL(cluster.url).port));
    const kubeconfig = join(folder, name);
    writeFileSync(kubeconfig, kubeconfigBy(cluster, proxy.port), { mode: 0o600 });
    return { name, cluster, proxy, kubeconfig, newWrites: writesOf(cluster) };
  };
  const [firstName = "", ...otherNames] = names;
  const first = await startOne(firstName);
  const members = [first, ...(await Promise.all(otherNames.map((name) => startOne(name, first))))];
  return {
    members,
    member(name) {
      const found = members.find((member) => member.name === name);
      if (found === undefined) throw new Error(`no member ${name}`);
      return found;
    },
    async stop() {
      // The first has the etcd of all.
      for (const { proxy, cluster } of [...members].reverse()) {
        await proxy.stop();
        await cluster.stop();
      }
      rmSync(folder, { recursive: true });
    },
  };
}

/** @param shipped whether the InferencePoolImport is the one that the inference extension ships */
export async function kindsOf(shipped: boolean): Promise<Crd[]> {
  const groups = [group, "gateway.networking.k8s.io"] as const;
  return shipped
    ? [
        ...(await upstreamCrds(groups)),
        await upstreamCrd(`${importKind.plural}.${importKind.group}`),
      ]
    : crdsWithOwn(groups);
}

const kubeconfigBy = ({ ca, token }: Cluster, port: number) => {
  const name = "by-proxy";
  const certificate = Buffer.from(ca).toString("base64");
  const server = `https://127.0.0.1:${port}`;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": certificate } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
};

function writesOf(cluster: Cluster): () => WriteRequest[] {
  let seen = 0;
  return () => {
    const all = cluster.writes();
    const fresh = all.slice(seen).filter(({ userAgent }) => userAgent === "pulumi-inference");
    seen = all.length;
    return fresh;
  };
}

export interface TestController {
  readonly controller: MultiClusterController;
  /** Lines of its log. */
  readonly log: readonly string[];
  stop(): Promise<void>;
}

export const testOptions: Omit<MultiClusterControllerOptions, "log"> = {
  controllerName: defaultControllerName,
  importIntoExporters: false,
  staleAfterMs: 0,
  drainMs: 0,
  timing: { backOff: { firstMs: 50, longestMs: 500 }, probeIntervalMs: 300 },
};

export type MemberClient = Pick<KubernetesClient, "request" | "watch">;

export interface TestControllerOptions extends Partial<MultiClusterControllerOptions> {
  /** Wraps the controller's client of a member. */
  readonly between?: (client: MemberClient, member: string) => MemberClient;
}

/** A controller of these members that leads from the start. */
export function startController(
  members: readonly TestMember[],
  { between = (client) => client, ...options }: TestControllerOptions = {},
): TestController {
  const log: string[] = [];
  const controller = new MultiClusterController({
    ...testOptions,
    log: newLog({ verbosity: 4, write: (line) => log.push(line), now: Date.now }),
    ...options,
  });
  const clients: KubernetesClient[] = [];
  for (const { name, kubeconfig } of members) {
    const client = newKubernetesClient(loadKubeConfig({ file: kubeconfig }));
    clients.push(client);
    controller.join({ name, client: between(client, name) });
  }
  controller.lead(true);
  return {
    controller,
    log,
    async stop() {
      await controller.stop();
      for (const client of clients) client.close();
    },
  };
}

export interface PoolInput {
  readonly export?: string;
  readonly mode?: string;
  readonly appProtocol?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const pools = (namespace: string) => `/apis/${group}/v1/namespaces/${namespace}/inferencepools`;
const importsPath = (namespace: string) =>
  `/apis/${importKind.apiVersion}/namespaces/${namespace}/${importKind.plural}`;

export const createNamespace = ({ cluster }: TestMember, name: string) =>
  cluster.request("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  });

export function createPool(
  { cluster }: TestMember,
  namespace: string,
  name: string,
  { export: exported, mode, appProtocol, annotations = {} }: PoolInput = {},
) {
  return cluster.request("POST", pools(namespace), {
    apiVersion: `${group}/v1`,
    kind: "InferencePool",
    metadata: {
      name,
      annotations: {
        ...(exported !== undefined && { [annotation.export]: exported }),
        ...(mode !== undefined && { [annotation.exportMode]: mode }),
        ...annotations,
      },
    },
    spec: {
      selector: { matchLabels: { app: "model" } },
      targetPorts: [{ number: 8000 }],
      ...(appProtocol && { appProtocol }),
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    },
  });
}

export const annotate = (
  { cluster }: TestMember,
  namespace: string,
  name: string,
  annotations: Readonly<Record<string, string | null>>,
) =>
  cluster.request(
    "PATCH",
    `${pools(namespace)}/${name}`,
    { metadata: { annotations } },
    mergePatchType,
  );

export const deletePool = ({ cluster }: TestMember, namespace: string, name: string) =>
  cluster.request("DELETE", `${pools(namespace)}/${name}`);

/** An endpoint picker: its Service, and what makes it reachable. */
export async function createPicker(member: TestMember, namespace: string, ready: boolean) {
  await member.cluster.request("POST", `/api/v1/namespaces/${namespace}/services`, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "epp" },
    spec: {
      type: "LoadBalancer",
      selector: { app: "epp" },
      ports: [9002, 9003, 9090].map((port) => ({ name: `p${port}`, port })),
    },
  });
  await makeReachable(member, namespace, ready);
}

/** Writes what a cloud and Kubernetes' controllers would for the Service of a picker: its address and its endpoints. */
export async function makeReachable({ cluster }: TestMember, namespace: string, ready: boolean) {
  await cluster.request(
    "PATCH",
    `/api/v1/namespaces/${namespace}/services/epp/status`,
    { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } },
    mergePatchType,
  );
  await cluster.request(
    "POST",
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "epp-1", labels: { "kubernetes.io/service-name": "epp" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready } }],
      ports: [{ port: 9002 }],
    },
  );
}

export const setReady = ({ cluster }: TestMember, namespace: string, ready: boolean) =>
  cluster.request(
    "PATCH",
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/epp-1`,
    { endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready } }] },
    mergePatchType,
  );

/** A Gateway, ready for requests, and an HTTPRoute from it to a pool. */
export async function createGateway({ cluster }: TestMember, namespace: string, pool: string) {
  const gateways = `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/gateways`;
  const apiVersion = "gateway.networking.k8s.io/v1";
  await cluster.request("POST", gateways, {
    apiVersion,
    kind: "Gateway",
    metadata: { name: "gateway" },
    spec: {
      gatewayClassName: "any",
      listeners: [
        { name: "http", port: 80, protocol: "HTTP" },
        { name: "other", port: 443, protocol: "HTTP" },
      ],
    },
  });
  await cluster.request(
    "PATCH",
    `${gateways}/gateway/status`,
    {
      status: {
        addresses: [{ type: "Hostname", value: "gateway.example.com" }],
        conditions: [
          {
            type: "Programmed",
            status: "True",
            reason: "Programmed",
            message: "",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    },
    mergePatchType,
  );
  await cluster.request("POST", gateways.replace("gateways", "httproutes"), {
    apiVersion,
    kind: "HTTPRoute",
    metadata: { name: "route" },
    spec: {
      parentRefs: [{ name: "gateway", sectionName: "other" }],
      rules: [{ backendRefs: [{ group, kind: "InferencePool", name: pool }] }],
    },
  });
}

/** Sets the condition that a gateway's controller would write on the route of `createGateway`. */
export const acceptRoute = ({ cluster }: TestMember, namespace: string, accepted: boolean) => {
  const status = accepted ? "True" : "False";
  const condition = { type: "Accepted", status, reason: "Any", message: "" };
  return cluster.request(
    "PATCH",
    `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/httproutes/route/status`,
    {
      status: {
        parents: [
          {
            controllerName: "example.com/gateway",
            parentRef: { name: "gateway", sectionName: "other" },
            conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }],
          },
        ],
      },
    },
    mergePatchType,
  );
};

/** An import as another controller makes it. */
export async function createImport(
  member: TestMember,
  namespace: string,
  name: string,
  status: object,
) {
  const { apiVersion, kind } = importKind;
  await member.cluster.request("POST", importsPath(namespace), {
    apiVersion,
    kind,
    metadata: { name },
  });
  await applyImport(member, namespace, name, status);
}

/** Writes an import's status as another controller. */
export const applyImport = (
  { cluster }: TestMember,
  namespace: string,
  name: string,
  status: object,
) => {
  const { apiVersion, kind } = importKind;
  const path = `${importsPath(namespace)}/${name}/status`;
  return cluster.apply(path, { apiVersion, kind, metadata: { name }, status }, "other");
};

interface Parent {
  readonly controllerName?: string;
  readonly conditions?: Condition[];
}

export async function parents(
  { cluster }: TestMember,
  namespace: string,
  name: string,
): Promise<readonly Parent[]> {
  const pool = await cluster.request<{ status?: { parents?: Parent[] } }>(
    "GET",
    `${pools(namespace)}/${name}`,
  );
  return pool.status?.parents ?? [];
}

/** Appends a gateway's entry to the parents of a pool. */
export async function addParent(
  member: TestMember,
  namespace: string,
  name: string,
): Promise<Parent | undefined> {
  const parent = {
    parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "gateway" },
    controllerName: "example.com/gateway",
    conditions: [],
  };
  const before = await parents(member, namespace, name);
  await setParents(member, namespace, name, [...before, parent]);
  return (await parents(member, namespace, name)).at(-1);
}

export const setParents = (
  { cluster }: TestMember,
  namespace: string,
  name: string,
  parents: readonly object[],
) =>
  cluster.request(
    "PATCH",
    `${pools(namespace)}/${name}/status`,
    { status: { parents } },
    mergePatchType,
  );

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface ReadImport {
  readonly metadata: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly uid: string;
  };
  readonly status?: {
    readonly clusters?: ReadonlyArray<
      { name: string; conditions: Condition[] } & Record<string, unknown>
    >;
    readonly conditions?: readonly Condition[];
    readonly controllers?: ReadonlyArray<{
      readonly name: string;
      readonly exportingClusters?: ReadonlyArray<{ readonly name: string }>;
      readonly conditions?: readonly Condition[];
    }>;
  };
}

interface List<T> {
  readonly items: ReadonlyArray<T>;
}

interface Named {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export interface ListedPool extends Named {
  readonly status?: { readonly parents?: readonly Parent[] };
}

export const listNamespaces = async ({ cluster }: TestMember): Promise<string[]> =>
  (await cluster.request<List<Named>>("GET", "/api/v1/namespaces")).items.map(
    ({ metadata }) => metadata.name,
  );

export const listPools = async ({ cluster }: TestMember) =>
  (await cluster.request<List<ListedPool>>("GET", `/apis/${group}/v1/inferencepools`)).items;

export const listImports = async ({ cluster }: TestMember) =>
  (
    await cluster.request<List<ReadImport & Named>>(
      "GET",
      `/apis/${importKind.apiVersion}/${importKind.plural}`,
    )
  ).items;

/** This project's entry in an import, and in the parents of a pool. */
export const ownEntry = ({ status }: Pick<ReadImport, "status">) =>
  status?.controllers?.find(({ name }) => name === defaultControllerName);
export const ownParent = ({ status }: Pick<ListedPool, "status">) =>
  status?.parents?.find(({ controllerName }) => controllerName === defaultControllerName);

/** Undefined if there is none. */
export const readImport = ({ cluster }: TestMember, namespace: string, name: string) =>
  unlessAbsent(cluster.request<ReadImport>("GET", `${importsPath(namespace)}/${name}`));

/** The clusters in the annotation of an import; undefined without one. */
export const readDetail = async (member: TestMember, namespace: string, name: string) => {
  const found = await readImport(member, namespace, name);
  const text = found?.metadata.annotations?.[annotation.importDetail];
  return text && (JSON.parse(text) as { clusters: Array<{ name: string }> }).clusters;
};

/** The clusters that a controller's entry names; undefined if there is no entry. */
export async function exporters(
  member: TestMember,
  namespace: string,
  name: string,
  controller = defaultControllerName,
): Promise<string[] | undefined> {
  const found = await readImport(member, namespace, name);
  const entry = found?.status?.controllers?.find((each) => each.name === controller);
  return entry?.exportingClusters?.map((each) => each.name);
}

/** The Exported condition of a pool; undefined without an entry. */
export async function exported(
  member: TestMember,
  namespace: string,
  name: string,
): Promise<Condition | undefined> {
  return (await parents(member, namespace, name))
    .find(({ controllerName }) => controllerName === defaultControllerName)
    ?.conditions?.find(({ type }) => type === "Exported");
}

async function unlessAbsent<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * The writes of the controllers to all members, once none has come for a while: one word each, by member.
 *
 * @param isIt namespaces that count. Default: all
 */
export async function writesWhenQuiet(
  set: TestSet,
  isIt: (namespace: string) => boolean = () => true,
): Promise<Record<string, string[]>> {
  const found = new Map<string, string[]>(set.members.map(({ name }) => [name, []]));
  for (let quiet = 0; quiet < 5; quiet += 1) {
    await sleep(100);
    for (const { name, newWrites } of set.members)
      for (const { verb, uri } of newWrites()) {
        quiet = 0;
        if (isIt(namespaceOf(uri))) found.get(name)?.push(`${verb} ${kindOf(uri)}`);
      }
  }
  return Object.fromEntries(found);
}

const namespaceOf = (uri: string): string => /\/namespaces\/([^/?]+)/.exec(uri)?.[1] ?? "";

/** For example `inferencepools/status`. */
function kindOf(uri: string): string {
  const parts = new URL(uri, "https://server").pathname.split("/");
  const at = parts.indexOf("namespaces") + 2;
  const [kind, , subresource] = parts.slice(at);
  return subresource === undefined ? (kind ?? "") : `${kind}/${subresource}`;
}
