import { isMap, type PropertyMap } from "../property-value.ts";
import type { KubernetesObject } from "./object.ts";

/** Whether a live object is ready; if not, the reason. */
export type Readiness = { ready: true } | { ready: false; waitingFor: string; failed?: boolean };

/** Reads an object that readiness depends on, by path; `undefined` if it does not exist. */
export type Lookup = (
  path: string,
  query?: Record<string, string>,
) => Promise<PropertyMap | undefined>;

export type ReadyCondition = (
  live: KubernetesObject,
  lookup: Lookup,
) => Readiness | Promise<Readiness>;

/** Returns a condition from `status.conditions`, in the format of most kinds. */
export function conditionOf(
  live: KubernetesObject,
  type: string,
): { status?: string; reason?: string; message?: string } | undefined {
  const { conditions } = statusOf(live);
  return (Array.isArray(conditions) ? conditions : []).find((c) => isMap(c) && c.type === type);
}

export function statusOf(live: KubernetesObject): PropertyMap {
  return isMap(live.status) ? live.status : {};
}

/** Whether the status belongs to an older generation. */
export function isBehind(live: KubernetesObject): boolean {
  const { observedGeneration } = statusOf(live);
  return (
    typeof observedGeneration === "number" && observedGeneration < (live.metadata.generation ?? 0)
  );
}
