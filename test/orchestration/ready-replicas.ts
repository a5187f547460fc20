import { setTimeout as sleep } from "node:timers/promises";
import { label } from "../../sdk/names.ts";
import type { LiveSet } from "../../sdk/rollout/set-state.ts";
import type { GpuCluster, GpuPart } from "../../testing/clusters/gpu-cluster.ts";

type Live = LiveSet & { readonly metadata: { readonly labels: Readonly<Record<string, string>> } };

/** Returns the number of ready replicas of each role in a namespace. */
export async function readyReplicas(
  { cluster }: GpuCluster,
  namespace: string,
): Promise<Record<string, number>> {
  const path = `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${namespace}/leaderworkersets`;
  const { items } = await cluster.request<{ items: Live[] }>("GET", path);
  const counts: Record<string, number> = {};
  for (const { metadata, status } of items) {
    const role = String(metadata.labels[label.roleName]);
    counts[role] = (counts[role] ?? 0) + (status?.readyReplicas ?? 0);
  }
  return counts;
}

/** Samples the number of ready replicas until it is asked for the lowest of each role. */
export function sampleLowest(ready: () => Promise<Record<string, number>>) {
  const lowest: Record<string, number> = {};
  let isRunning = true;
  const sampling = (async () => {
    while (isRunning) {
      for (const [role, count] of Object.entries(await ready()))
        lowest[role] = Math.min(lowest[role] ?? count, count);
      await sleep(50);
    }
  })();
  return {
    async lowest() {
      isRunning = false;
      await sampling;
      return lowest;
    },
  };
}

/** Returns the images of the pods of all roles except the router. */
export async function imagesOf(part: GpuPart): Promise<unknown[]> {
  const pods = await part.pods();
  const images = pods
    .filter(({ metadata }) => metadata.labels?.[label.componentType] !== undefined)
    .flatMap(({ spec }) => spec.containers.map(({ image }) => image));
  return [...new Set(images)].sort();
}
