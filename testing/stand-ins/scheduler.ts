import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { isAccelerator } from "../../kubernetes/values/accelerators.ts";
import type { ApiClient } from "../api/api-client.ts";
import { controlLoop, forEach } from "./control-loop.ts";
import { informer } from "./informer.ts";
import { isDeleting, keyOf, type Pod, type PodGroup } from "./objects.ts";
import type { StandIn, StandInOptions } from "./stand-in.ts";

/** A node, as far as placement of whole GPUs goes. */
export interface GpuNode {
  name: string;
  gpus: number;
}

/** One gang that asks to be placed. */
export interface GangRequest {
  podGroup: PodGroup;
  /** All pods of the gang: those with `spec.nodeName` are placed already. */
  pods: readonly Pod[];
  /** GPUs that no pod holds, by node; undefined if the cluster has no bounds. */
  freeGpus: Map<string, number> | undefined;
}

/** Which pods of a gang are placed, and where. It may place some, all or none. */
export type AdmitGang = (request: GangRequest) => Iterable<{ pod: string; node: string }>;

export interface SchedulerOptions extends StandInOptions {
  /** The cluster's GPU nodes. Default: unlimited capacity. */
  nodes?: readonly GpuNode[];
  /** Decides on gangs. Default: all pods of the gang together, once there are minMember of them and room for all. */
  admit?: AdmitGang;
}

/** STAND-IN for a cluster's schedulers, Volcano's included: places pods, and gangs as `admit` decides. */
export async function startScheduler(
  client: ApiClient,
  { namespace, nodes, admit = allOrNothing, onError }: SchedulerOptions,
): Promise<StandIn> {
  const abort = new AbortController();
  // The cache shows a placement only some time later; until then this map contains its node.
  const assumed = new Map<string, string>();
  const loop = controlLoop(async () => {
    const all = assume(pods.list(), assumed);
    const free = nodes && freeGpus(nodes, all);
    const alone = all.filter((pod) => isWaiting(pod) && gangOf(pod) === undefined);
    const requests: GangRequest[] = podGroups.list().map((podGroup) => ({
      podGroup,
      pods: all.filter((pod) => gangOf(pod) === keyOf(podGroup)),
      freeGpus: free,
    }));
    const placements = [...placeAlone(alone, free)];
    for (const request of requests) placements.push(...placeGang(request, admit));
    await forEach(placements, async ({ pod, node }) => {
      await bind(client, pod, node);
      assumed.set(pod.metadata.uid, node);
    });
    await forEach(requests, (request) => writePhase(client, request));
  }, onError);
  const watching = { onChange: () => loop.trigger(), signal: abort.signal };
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  const pods = informer<Pod>(client, `/api/v1${scope}/pods`, watching);
  const podGroups = informer<PodGroup>(
    client,
    `/apis/scheduling.volcano.sh/v1beta1${scope}/podgroups`,
    watching,
  );
  await pods.synced;
  return {
    async stop() {
      abort.abort();
      await loop.stop();
    },
  };
}

/** GPUs that a pod asks for, as its containers' limits say. */
export function gpusOf(pod: Pod): number {
  return pod.spec.containers
    .flatMap((container) => Object.entries(container.resources?.limits ?? {}))
    .filter(([resource]) => isAccelerator(resource))
    .reduce((sum, [, quantity]) => sum + Number(quantity), 0);
}

const knownSchedulers = ["default-scheduler", "volcano"];

/** A pod for another scheduler waits forever. */
const isWaiting = (pod: Pod) =>
  pod.spec.nodeName === undefined &&
  !isDeleting(pod) &&
  knownSchedulers.includes(pod.spec.schedulerName ?? "default-scheduler");

/** Key of the PodGroup that a pod names. Only Volcano's scheduler looks at it. */
function gangOf({ metadata, spec }: Pod): string | undefined {
  const name = metadata.annotations?.["scheduling.k8s.io/group-name"];
  return spec.schedulerName === "volcano" && name !== undefined
    ? `${metadata.namespace ?? ""}/${name}`
    : undefined;
}

/** Returns the pods, with the placements that the cache does not show yet; forgets placements of deleted pods. */
function assume(pods: readonly Pod[], assumed: Map<string, string>): Pod[] {
  const present = new Set(pods.map((pod) => pod.metadata.uid));
  for (const uid of assumed.keys()) if (!present.has(uid)) assumed.delete(uid);
  return pods.map((pod) => {
    const nodeName = pod.spec.nodeName ?? assumed.get(pod.metadata.uid);
    return nodeName === undefined ? pod : { ...pod, spec: { ...pod.spec, nodeName } };
  });
}

function freeGpus(nodes: readonly GpuNode[], pods: readonly Pod[]): Map<string, number> {
  const free = new Map(nodes.map(({ name, gpus }) => [name, gpus]));
  for (const pod of pods) {
    const node = pod.spec.nodeName;
    if (node !== undefined) free.set(node, (free.get(node) ?? 0) - gpusOf(pod));
  }
  return free;
}

function take(free: Map<string, number> | undefined, node: string, pod: Pod): void {
  if (free === undefined) return;
  const left = (free.get(node) ?? 0) - gpusOf(pod);
  if (left < 0)
    throw new Error(`pod ${keyOf(pod)} does not fit on node ${node}: ${-left} GPUs short`);
  free.set(node, left);
}

function* placeAlone(waiting: readonly Pod[], free: Map<string, number> | undefined) {
  for (const pod of waiting) {
    const node = roomFor(pod, free);
    if (node === undefined) continue;
    take(free, node, pod);
    yield { pod, node };
  }
}

function* placeGang(request: GangRequest, admit: AdmitGang) {
  if (!request.pods.some(isWaiting)) return;
  for (const { pod: name, node } of admit(request)) {
    const pod = request.pods.find(({ metadata }) => metadata.name === name);
    if (pod === undefined || !isWaiting(pod)) continue;
    take(request.freeGpus, node, pod);
    yield { pod, node };
  }
}

/** The fullest node that has room. */
function roomFor(pod: Pod, free: ReadonlyMap<string, number> | undefined): string | undefined {
  if (free === undefined) return `${pod.metadata.name}-node`;
  return [...free].filter(([, gpus]) => gpus >= gpusOf(pod)).sort(([, a], [, b]) => a - b)[0]?.[0];
}

const allOrNothing: AdmitGang = ({ podGroup, pods, freeGpus: free }) => {
  if (pods.length < (podGroup.spec.minMember ?? 0)) return [];
  const waiting = pods.filter(isWaiting);
  const placements = [...placeAlone(waiting, free && new Map(free))];
  return placements.length < waiting.length
    ? []
    : placements.map(({ pod, node }) => ({ pod: pod.metadata.name, node }));
};

async function bind(client: ApiClient, { metadata }: Pod, node: string): Promise<void> {
  await client.request(
    "POST",
    `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/binding`,
    {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    },
  );
}

/** The scheduler writes the whole object, since PodGroup has no status subresource. */
async function writePhase(client: ApiClient, { podGroup, pods }: GangRequest): Promise<void> {
  if (isDeleting(podGroup)) return;
  const running = pods.filter((pod) => pod.status.phase === "Running").length;
  const placed = pods.filter((pod) => pod.spec.nodeName !== undefined).length;
  const phase = placed > 0 && placed >= (podGroup.spec.minMember ?? 0) ? "Running" : "Inqueue";
  if (podGroup.status?.phase === phase && podGroup.status.running === running) return;
  const { name, namespace, uid } = podGroup.metadata;
  await client.request(
    "PATCH",
    `/apis/scheduling.volcano.sh/v1beta1/namespaces/${namespace}/podgroups/${name}`,
    { metadata: { uid }, status: { phase, running } },
    mergePatchType,
  );
}
