import { canonicalJson } from "../../kubernetes/values/canonical-json.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { plannedReplicas, restartsPods, rolloutOf } from "../rollout/set-state.ts";
import { type NumberOrShare, shareOf, updateOfDeployment } from "../stack/rolling-update.ts";
import { gpusOfReplica } from "../stack/workloads.ts";
import { hiddenSecret, unknownText } from "./hidden-values.ts";

/** Restart of the pods of one workload by an update. */
export interface Restart {
  /** Replicas whose pods restart. */
  readonly restarted: number;
  /** Maximum number of replicas that are away at the same time. */
  readonly away: number;
}

interface WorkloadKind {
  /** Returns whether an update restarts pods. */
  restarts(before: unknown, after: unknown): boolean;
  /** Returns the restart of `replicas` running replicas by the updated spec. */
  restart(after: unknown, replicas: number): Restart | undefined;
}

const changesTemplate = (before: unknown, after: unknown): boolean =>
  canonicalJson(templateOf(before)) !== canonicalJson(templateOf(after));

const templateOf = (spec: unknown) =>
  (spec as { template?: unknown } | undefined)?.template ?? null;

const workloadKinds: Readonly<Record<string, WorkloadKind>> = {
  LeaderWorkerSet: {
    restarts: restartsPods,
    restart: (after, replicas) => ({ restarted: replicas, away: rolloutOf(after).maxUnavailable }),
  },
  Deployment: { restarts: changesTemplate, restart: restartOfDeployment },
  StatefulSet: { restarts: changesTemplate, restart: restartOfStatefulSet },
};

/**
 * Reports whether an object is a LeaderWorkerSet, or a Deployment or StatefulSet whose pods have accelerators. Pods
 * that a preview does not show, because they are secret or not known yet, count as pods without accelerators.
 */
export function isGpuWorkload(manifest: Manifest | undefined): boolean {
  if (manifest === undefined) return false;
  if (manifest.kind === "LeaderWorkerSet") return true;
  if (!Object.hasOwn(workloadKinds, manifest.kind) || !showsContainers(manifest)) return false;
  return gpusOfReplica(manifest) > 0;
}

function showsContainers({ spec }: Manifest): boolean {
  const { template } = (spec ?? {}) as { template?: { spec?: { containers?: unknown } } };
  const containers = template?.spec?.containers;
  return Array.isArray(containers) && containers.every((each) => typeof each === "object");
}

/**
 * Reports whether a preview hides a secret in the pods of a workload that may have accelerators: it then shows neither
 * whether the secret changes nor, if the containers are the secret, the accelerators.
 */
export const hidesPods = (manifest: Manifest | undefined): boolean =>
  manifest !== undefined &&
  Object.hasOwn(workloadKinds, manifest.kind) &&
  containsHidden(manifest.spec) &&
  (isGpuWorkload(manifest) || !showsContainers(manifest));

function containsHidden(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === hiddenSecret;
  return Object.values(value).some(containsHidden);
}

/** Returns the restart that an update of a workload causes; undefined if it restarts no pod. */
export function restartOf(
  before: Manifest | undefined,
  after: Manifest | undefined,
): Restart | undefined {
  const kind = workloadKinds[before?.kind ?? ""];
  if (kind === undefined || !kind.restarts(before?.spec, after?.spec)) return undefined;
  return kind.restart(after?.spec, Math.min(replicasOf(before), replicasAfter(before, after)));
}

/** Returns the replicas of a workload; 0 without one. */
export const replicasOf = (workload: Manifest | undefined): number =>
  workload === undefined ? 0 : plannedReplicas(workload);

/** Returns the number of replicas after an update. If the preview does not show it, it is the number before. */
export function replicasAfter(before: Manifest | undefined, after: Manifest | undefined): number {
  const { replicas = after?.spec } = (after?.spec ?? {}) as { replicas?: unknown };
  return before !== undefined && replicas === unknownText ? replicasOf(before) : replicasOf(after);
}

function restartOfDeployment(spec: unknown, replicas: number): Restart {
  const { away } = updateOfDeployment(spec, replicas) ?? { away: replicas };
  return { restarted: replicas, away: Math.min(replicas, away) };
}

/** Pods below the partition keep their template, and with OnDelete all pods do. */
function restartOfStatefulSet(spec: unknown, replicas: number): Restart | undefined {
  const { updateStrategy = {} } = (spec ?? {}) as { updateStrategy?: StatefulSetStrategy };
  if (updateStrategy.type === "OnDelete") return undefined;
  const { partition = 0, maxUnavailable = 1 } = updateStrategy.rollingUpdate ?? {};
  const restarted = Math.max(0, replicas - partition);
  const away = Math.max(1, Math.ceil(shareOf(maxUnavailable, replicas)));
  return { restarted, away: Math.min(restarted, away) };
}

interface StatefulSetStrategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: NumberOrShare };
}
