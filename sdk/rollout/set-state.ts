import { canonicalJson } from "../../kubernetes/values/canonical-json.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";

/** The part of a LeaderWorkerSet that a rollout depends on, as the API server sends it. */
export interface LiveSet {
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly spec: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
  };
}

/** State of a LeaderWorkerSet during a rollout. */
export interface SetState {
  readonly name: string;
  readonly generation: number;
  /** Number of groups in the spec. */
  readonly wanted: number;
  /** Number of groups whose pods are all ready, whatever template they run. */
  readonly ready: number;
  /** Whether every group is ready and runs the template of the spec. */
  readonly isSettled: boolean;
}

export function setStateOf({ metadata, spec, status = {} }: LiveSet): SetState {
  const { generation = 0 } = metadata;
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0 } = status;
  const { replicas: wanted = 1 } = spec;
  return {
    name: metadata.name,
    generation,
    wanted,
    ready: readyReplicas,
    isSettled:
      observedGeneration >= generation && readyReplicas >= wanted && updatedReplicas >= wanted,
  };
}

/** Number of groups of a planned LeaderWorkerSet. A number that is not known yet counts as 1. */
export function plannedReplicas({ spec }: Manifest): number {
  const { replicas } = (spec ?? {}) as { replicas?: unknown };
  return typeof replicas === "number" ? replicas : 1;
}

/**
 * Whether a change of a LeaderWorkerSet's spec restarts its pods. The controller recreates every group if its template
 * or its network changes. Replicas and the rollout strategy restart nothing.
 */
export const restartsPods = (before: unknown, after: unknown): boolean =>
  running(before) !== running(after);

function running(spec: unknown): string {
  const { leaderWorkerTemplate, networkConfig } = (spec ?? {}) as Record<string, unknown>;
  return canonicalJson({ leaderWorkerTemplate, networkConfig });
}
