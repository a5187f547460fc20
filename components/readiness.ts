import { factsOf, type Kind, kinds } from "../kubernetes/kinds/index.ts";
import { groupsReady } from "../kubernetes/kinds/leader-worker-set.ts";
import type { Manifest } from "../kubernetes/values/manifest.ts";
import type { Wait } from "../sdk/plan/readiness-text.ts";
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

/**
 * The object with the annotations that make the provider wait, or not. Annotations of the service win.
 *
 * The endpoint picker's Service is never waited for: it has endpoints once the picker is ready, and the picker
 * is ready once its pool exists, which comes after the Service.
 */
export function withReadiness(manifest: Manifest, kind: Kind, readiness: Readiness): Manifest {
  const annotations = readinessAnnotations(manifest, kind, readiness);
  if (annotations === undefined) return manifest;
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...annotations, ...metadata.annotations } },
  };
}

function readinessAnnotations(
  { metadata }: Manifest,
  kind: Kind,
  { wait, minimums }: Readiness,
): Record<string, string> | undefined {
  if (factsOf(kind).readiness === "provider") {
    const awaited = wait === "replicas" && kind !== "Service";
    return awaited ? undefined : { [providerAnnotation.skipAwait]: "true" };
  }
  if (kind === "InferenceService") {
    return wait === "available"
      ? { [providerAnnotation.waitFor]: kinds.InferenceService.readiness.waitFor }
      : undefined;
  }
  if (kind === "HTTPRoute" && wait === "replicas")
    return { [providerAnnotation.waitFor]: kinds.HTTPRoute.readiness.waitFor };
  const minimum = minimums.get(metadata.name);
  if (wait !== "replicas" || kind !== "LeaderWorkerSet" || minimum === undefined) return undefined;
  return { [providerAnnotation.waitFor]: groupsReady(minimum) };
}

/** How long the provider waits for a kind, where it is longer than its own limit. */
export function timeoutsOf(kind: Kind, { wait }: Readiness) {
  const { readiness } = factsOf(kind);
  if (wait === "none" || typeof readiness === "string") return undefined;
  if (readiness.timeoutSeconds === undefined) return undefined;
  const limit = `${readiness.timeoutSeconds}s`;
  return { create: limit, update: limit };
}
