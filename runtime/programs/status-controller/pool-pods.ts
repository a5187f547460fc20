import { selects } from "../../../sdk/status/llm-server-pool-status.ts";
import type { ObservedPod } from "../../../sdk/status/observed.ts";
import type { Cluster } from "./cluster.ts";
import type { PoolObject } from "./read-objects.ts";

/** Returns the pods that a pool selects, without pods that are being deleted. */
export const podsOfPool = (
  cluster: Pick<Cluster, "podsWith">,
  { namespace, selector }: Pick<PoolObject, "namespace" | "selector">,
): ObservedPod[] => cluster.podsWith(namespace, selector).filter(({ deleting }) => !deleting);

/**
 * Yields the LLMServices whose status depends on a pod: the services of pools that select it and in which no other pod is
 * ready.
 */
export function* servicesOfLastPod(
  cluster: Pick<Cluster, "poolsIn" | "routings" | "podsWith">,
  { namespace, name, labels }: ObservedPod,
): Iterable<string> {
  for (const pool of cluster.poolsIn(namespace)) {
    const services = [...cluster.routings.servicesOf(`${namespace}/${pool.name}`)];
    if (services.length === 0 || !selects(pool.selector, labels)) continue;
    if (!podsOfPool(cluster, pool).some((pod) => pod.ready && pod.name !== name)) yield* services;
  }
}
