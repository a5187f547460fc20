import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindFacts } from "../../kubernetes/kinds/kind.ts";
import { groupOf } from "../../kubernetes/values/manifest.ts";
import { gatewayKinds } from "../gateways/index.ts";

/** Every kind of which plans and components have objects: those of any cluster, and those that certain gateways alone have. */
export const plannedKinds = { ...kinds, ...gatewayKinds };

/** A kind of the table. */
export type PlannedKind = keyof typeof plannedKinds;

/**
 * The kind of an object, or undefined where the table has none. Group and kind decide, not the version:
 * other groups have kinds of the same name, `scheduling.k8s.io` a PodGroup.
 */
export function kindOf(object: { apiVersion: string; kind: string }): PlannedKind | undefined {
  if (!Object.hasOwn(plannedKinds, object.kind)) return undefined;
  const kind = object.kind as PlannedKind;
  const { apiVersion, otherVersions } = factsOf(kind);
  const served = [apiVersion, ...otherVersions].map(groupOf);
  return served.includes(groupOf(object.apiVersion)) ? kind : undefined;
}

/** The facts of a kind. */
export const factsOf = (kind: PlannedKind): KindFacts => plannedKinds[kind];
