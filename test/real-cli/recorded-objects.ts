import type { Manifest } from "../../sdk/index.ts";
import type { Cluster } from "../../testing/api/cluster.ts";
import type { TestClusterSet } from "../../testing/clusters/cluster-set.ts";
import { objectPath } from "../../testing/object-path.ts";

/** The objects of a recorded state, in the clusters of their providers. */
export interface RecordedObjects {
  /** Creates each object by server-side apply with the field manager in its state. */
  create(): Promise<void>;
  /** Returns the uid of each object, or `missing`, in the order of the state. */
  uids(): Promise<string[]>;
  /** Deletes the objects, the last one first. CRDs and namespaces stay. */
  remove(): Promise<void>;
}

interface Recorded {
  readonly cluster: Cluster;
  readonly path: string;
  readonly manifest: Manifest;
  readonly fieldManager: string;
}

const lasting: ReadonlySet<string> = new Set(["CustomResourceDefinition", "Namespace"]);

export function recordedObjects(state: object, set: TestClusterSet): RecordedObjects {
  const { resources } = (state as State).deployment;
  const objects = resources
    .filter(({ type }) => type.startsWith("kubernetes:"))
    .map((resource) => recorded(resource, set));
  return {
    async create() {
      for (const { cluster, path, manifest, fieldManager } of objects)
        await cluster.apply(path, manifest, fieldManager);
    },
    async uids() {
      const found = [];
      for (const { cluster, path } of objects)
        found.push(
          await cluster.request<{ metadata: { uid: string } }>("GET", path).then(
            ({ metadata }) => `${path} ${metadata.uid}`,
            () => `${path} missing`,
          ),
        );
      return found;
    },
    async remove() {
      for (const { cluster, path, manifest } of [...objects].reverse())
        if (!lasting.has(manifest.kind)) await cluster.request("DELETE", path);
    },
  };
}

function recorded({ provider, inputs, outputs }: Resource, set: TestClusterSet): Recorded {
  // Providers of several clusters have the names of their clusters. The default provider is for the hub.
  const name = provider.split("::").at(-2) ?? "";
  return {
    cluster: set.members.get(name) ?? set.hub,
    path: objectPath(inputs),
    manifest: inputs,
    fieldManager: outputs.__fieldManager,
  };
}

interface State {
  readonly deployment: { readonly resources: readonly Resource[] };
}

interface Resource {
  readonly type: string;
  /** URN and id of the provider. */
  readonly provider: string;
  readonly inputs: Manifest;
  readonly outputs: { readonly __fieldManager: string };
}
