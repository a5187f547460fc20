import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";
import { groupOf } from "../../kubernetes/values/manifest.ts";
import { gatewayKinds } from "../gateways/index.ts";

/**
 * Every kind that plans and components create: the kinds of any cluster, and the kinds that only certain gateways
 * have.
 */
export const plannedKinds = { ...kinds, ...gatewayKinds };

export type PlannedKind = keyof typeof plannedKinds;

/**
 * Returns the kind of an object; undefined if the table does not contain it. Group and kind are compared, but not the
 * version: other groups have kinds with the same name, such as the PodGroup of `scheduling.k8s.io`.
 */
export function kindOf(object: { apiVersion: string; kind: string }): PlannedKind | undefined {
  if (!Object.hasOwn(plannedKinds, object.kind)) return undefined;
  const kind = object.kind as PlannedKind;
  const { apiVersion, otherVersions } = factsOf(kind);
  const served = [apiVersion, ...otherVersions].map(groupOf);
  return served.includes(groupOf(object.apiVersion)) ? kind : undefined;
}

export const factsOf = (kind: PlannedKind): KindFacts => plannedKinds[kind];
