import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { scratch } from "../../bench/epp/processes.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import { standInKubeconfig } from "./stand-in-cluster.ts";

/** A version of an object. */
export interface StoredObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
  /** The other members, as JSON that begins with a comma: large ones are written once. */
  readonly rest: string;
}

type Served = Pick<KindAddress, "apiVersion" | "plural" | "kind">;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObject["metadata"];
}

/** A pool or a pod, and its kind. */
export function storedObject(object: object): [Served, StoredObject] {
  const { apiVersion: _, kind, metadata, ...rest } = object as Manifest;
  const served = kind === "Pod" ? unplanned.Pod : kinds.InferencePool;
  return [served, { metadata, rest: `,${JSON.stringify(rest).slice(1, -1)}` }];
}

/** A stand-in for an API server: it lists objects and sends their changes as fast as they are made. */
export interface ObjectsServer {
  /** Path of a kubeconfig. */
  readonly kubeconfig: string;
  /** Serves the kind in a namespace, without objects yet. */
  serve(kind: Served, namespace: string): void;
  /** Stores a new version of an object of the kind and sends it to all watches of the kind. */
  change(kind: Served, object: StoredObject): void;
  close(): Promise<void>;
}

interface Collection {
  readonly objects: Map<string, string>;
  readonly watches: Set<ServerResponse>;
}

export async function startObjectsServer(): Promise<ObjectsServer> {
  const collections = new Map<string, Collection>();
  const collectionAt = (path: string) => {
    const collection = collections.get(path) ?? { objects: new Map(), watches: new Set() };
    collections.set(path, collection);
    return collection;
  };
  let version = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://server");
    response.setHeader("content-type", "application/json");
    const collection = collections.get(url.pathname);
    if (collection === undefined) {
      response.writeHead(404).end('{"kind":"Status","code":404,"message":"not served"}');
    } else if (url.searchParams.get("watch") === "true") {
      response.flushHeaders();
      collection.watches.add(response);
      response.on("close", () => collection.watches.delete(response));
    } else {
      const items = [...collection.objects.values()].join();
      response.end(`{"metadata":{"resourceVersion":"${version}"},"items":[${items}]}`);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    kubeconfig: writeKubeconfig(`http://127.0.0.1:${port}`),
    serve: (kind, namespace) => void collectionAt(collectionPath(kind, namespace)),
    change(kind, { metadata, rest }) {
      const { objects, watches } = collectionAt(collectionPath(kind, metadata.namespace));
      version += 1;
      const text = `{"apiVersion":"${kind.apiVersion}","kind":"${kind.kind}","metadata":${JSON.stringify(
        { uid: `uid-${metadata.name}`, ...metadata, resourceVersion: String(version) },
      )}${rest}}`;
      const type = objects.has(metadata.name) ? "MODIFIED" : "ADDED";
      objects.set(metadata.name, text);
      // A watch that does not keep up is not buffered for, as by an API server.
      for (const watch of watches)
        if (watch.writableLength < mostBehind) watch.write(`{"type":"${type}","object":${text}}\n`);
        else {
          watches.delete(watch);
          watch.end();
        }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Maximum number of bytes that wait for a watch. */
const mostBehind = 64 * 2 ** 20;

function writeKubeconfig(server: string): string {
  const file = join(mkdtempSync(join(scratch, "objects-")), "kubeconfig");
  writeFileSync(file, standInKubeconfig(server));
  return file;
}
