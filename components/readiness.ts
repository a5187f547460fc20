import type { Wait } from "../sdk/plan/readiness-text.ts";
import { factsOf, type PlannedKind } from "../sdk/topology/planned-kinds.ts";
import type { RoleLayout } from "../sdk/topology/role-layout.ts";

/** Annotations that the Kubernetes provider reads. */
export const providerAnnotation = {
  /** "true": creating and updating return as soon as the API server has taken the object. */
  skipAwait: "pulumi.com/skipAwait",
  /** When the object counts as ready. */
  waitFor: "pulumi.com/waitFor",
} as const;

/** What the children are waited for. */
export interface Readiness {
  readonly wait: Wait;
  /** Groups of a LeaderWorkerSet that must be ready, by its name. Those not named are not waited for. */
  readonly minimums: ReadonlyMap<string, number>;
}

/**
 * How many groups of which LeaderWorkerSets make the minimum of every role. Where each replica has a
 * LeaderWorkerSet of its own these are the first ones: the provider waits for one object at a time and cannot
 * say "any two of five".
 */
export function minimumGroups(layouts: readonly RoleLayout[]): Map<string, number> {
  const minimums = new Map<string, number>();
  for (const { workloads, minReplicas } of layouts) {
    for (const { name, replicaIndex } of workloads) {
      const minimum = replicaIndex === undefined ? minReplicas : Number(replicaIndex < minReplicas);
      if (minimum > 0) minimums.set(name, minimum);
    }
  }
  return minimums;
}

/** How long the provider waits for a kind, where it is longer than its own limit. */
export function timeoutsOf(kind: PlannedKind, { wait }: Readiness) {
  const { readiness } = factsOf(kind);
  if (wait === "none" || typeof readiness === "string") return undefined;
  if (readiness.timeoutSeconds === undefined) return undefined;
  const limit = `${readiness.timeoutSeconds}s`;
  return { create: limit, update: limit };
}
