import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import { annotation } from "../../sdk/topology/names.ts";
import { type Cluster, startCluster } from "../../testing/api-server.ts";
import { installCrds, installOwnCrds } from "../../testing/install-crds.ts";

/** API servers of a cluster set; their data is in the etcd of the first. */
export interface Member {
  readonly name: string;
  readonly cluster: Cluster;
}

export async function startMembers(count: number): Promise<Member[]> {
  const members: Member[] = [];
  for (let at = 0; at < count; at += 1) {
    const name = `c${at}`;
    const first = members[0]?.cluster;
    const cluster = await startCluster(
      first === undefined ? {} : { etcd: { url: first.etcd, prefix: `/${name}` } },
    );
    members.push({ name, cluster });
    await installCrds(cluster);
    await installOwnCrds(cluster);
  }
  return members;
}

export const stopMembers = async (members: readonly Member[]): Promise<void> => {
  for (const { cluster } of [...members].reverse()) await cluster.stop();
};

export const importsPath = (namespace: string) =>
  `/apis/${importKind.apiVersion}/namespaces/${namespace}/${importKind.plural}`;
export const poolsPath = (namespace: string) =>
  `/apis/inference.networking.k8s.io/v1/namespaces/${namespace}/inferencepools`;

export const createNamespace = ({ cluster }: Member, name: string) =>
  cluster.request("POST", "/api/v1/namespaces", {
    ...{ apiVersion: "v1", kind: "Namespace", metadata: { name } },
  });

export const createPool = (
  { cluster }: Member,
  namespace: string,
  name: string,
  isExported: boolean,
) =>
  cluster.request("POST", poolsPath(namespace), {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name, annotations: isExported ? { [annotation.export]: "ClusterSet" } : {} },
    spec: {
      selector: { matchLabels: { app: "model" } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    },
  });

export const annotate = (
  { cluster }: Member,
  namespace: string,
  name: string,
  annotations: Readonly<Record<string, string | null>>,
) =>
  cluster.request(
    "PATCH",
    `${poolsPath(namespace)}/${name}`,
    { metadata: { annotations } },
    mergePatchType,
  );

/** Does something for each item, so many at a time. */
export async function forEach<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (const item of { [Symbol.iterator]: () => queue }) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
