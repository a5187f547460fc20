import { canonicalJson } from "../../kubernetes/values/canonical-json.ts";
import { holdsDeferred, isDeferred } from "../../kubernetes/values/deferred.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { label } from "../names.ts";

/** The part of a LeaderWorkerSet that a rollout depends on, as the API server sends it. */
export interface LiveSet {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly generation?: number;
  };
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

/** A planned LeaderWorkerSet of a rollout. */
export interface PlannedSet {
  readonly name: string;
  readonly role: string;
  /** Maximum number of replicas of the role that are away at a time. */
  readonly maxUnavailable: number;
  /** Whether requests are sent to its pods. Decoders answer the requests whose prompts prefillers compute. */
  readonly answersRequests: boolean;
}

export const plannedSetOf = ({ metadata, spec }: Manifest): PlannedSet => ({
  name: metadata.name,
  role: metadata.labels?.[label.roleName] ?? "",
  answersRequests: metadata.labels?.[label.componentType] !== "prefiller",
  maxUnavailable: rolloutOf(spec).maxUnavailable,
});

/**
 * Returns the minimum number of replicas that serve during an update. Replicas that the update adds do not serve at
 * first.
 */
export const lowestServing = (before: number, after: number, away: number): number =>
  Math.max(0, Math.min(before, after) - away);

/** Returns the limits of a LeaderWorkerSet's rollout. Percentages, which no plan sets, count as the defaults. */
export function rolloutOf(spec: unknown): { maxUnavailable: number; maxSurge: number } {
  const { rolloutStrategy } = (spec ?? {}) as { rolloutStrategy?: Strategy };
  const { maxUnavailable, maxSurge } = rolloutStrategy?.rollingUpdateConfiguration ?? {};
  return {
    maxUnavailable: typeof maxUnavailable === "number" ? maxUnavailable : 1,
    maxSurge: typeof maxSurge === "number" ? maxSurge : 0,
  };
}

interface Strategy {
  readonly rollingUpdateConfiguration?: {
    readonly maxUnavailable?: unknown;
    readonly maxSurge?: unknown;
  };
}

/** Number of groups of a planned LeaderWorkerSet. A number that is not known yet counts as 1. */
export function plannedReplicas({ spec }: Manifest): number {
  const { replicas } = (spec ?? {}) as { replicas?: unknown };
  return typeof replicas === "number" ? replicas : 1;
}

/**
 * Whether a change of a LeaderWorkerSet's spec restarts its pods. The controller recreates every group if its template
 * or its network changes. Replicas and the rollout strategy restart nothing. A value that is not known yet may be
 * another one, so it restarts them.
 */
export function restartsPods(before: unknown, after: unknown): boolean {
  const running = [before, after].map(runningPart);
  return running.some(holdsDeferred) || canonicalJson(running[0]) !== canonicalJson(running[1]);
}

function runningPart(spec: unknown): unknown {
  if (isDeferred(spec)) return spec;
  const { leaderWorkerTemplate, networkConfig } = (spec ?? {}) as Record<string, unknown>;
  return { leaderWorkerTemplate, networkConfig };
}
