import type { Wait } from "../sdk/plan/readiness-text.ts";
import { factsOf, type PlannedKind } from "../sdk/topology/planned-kinds.ts";
import type { RoleLayout } from "../sdk/topology/role-layout.ts";

/** Annotations that the Kubernetes provider reads. */
export const providerAnnotation = {
  /** "true": creating and updating return as soon as the API server has accepted the object. */
  skipAwait: "pulumi.com/skipAwait",
  /** Condition under which the object counts as ready. */
  waitFor: "pulumi.com/waitFor",
} as const;

/** Readiness that the component waits for. */
export interface Readiness {
  readonly wait: Wait;
  /**
   * Number of groups that must be ready, by LeaderWorkerSet name. LeaderWorkerSets without an entry are not awaited.
   */
  readonly minimums: ReadonlyMap<string, number>;
}

/**
 * Returns the number of groups of each LeaderWorkerSet that make up the minimum of its role. If each replica has its
 * own LeaderWorkerSet, the minimum consists of the first ones: the provider waits for single objects and cannot wait
 * for "any two of five".
 */
export function minimumGroups(layouts: readonly RoleLayout[]): Map<string, number> {
  const minimums = new Map<string, number>();
  for (const { workloads, minReplicas: wanted, leastReplicas } of layouts) {
    // An autoscaler may have stopped the others.
    const minReplicas = Math.min(wanted, leastReplicas);
    for (const { name, replicaIndex } of workloads) {
      const minimum = replicaIndex === undefined ? minReplicas : Number(replicaIndex < minReplicas);
      if (minimum > 0) minimums.set(name, minimum);
    }
  }
  return minimums;
}

/** Returns the provider's wait timeouts for a kind; undefined if the provider's default is long enough. */
export function timeoutsOf(kind: PlannedKind, { wait }: Readiness) {
  const { readiness } = factsOf(kind);
  if (wait === "none" || typeof readiness === "string") return undefined;
  if (readiness.timeoutSeconds === undefined) return undefined;
  const limit = `${readiness.timeoutSeconds}s`;
  return { create: limit, update: limit };
}
