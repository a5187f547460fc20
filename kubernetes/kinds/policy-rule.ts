import { addressesOf, type KindAddress, type KindFacts } from "./kind.ts";

/** Rule of a Role (`rbac.authorization.k8s.io/v1`). */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * Returns a rule that allows verbs on the objects of kinds: on all objects, on a subresource, or on objects with given
 * names.
 */
export function allow(
  verbs: readonly string[],
  kinds: ReadonlyArray<Pick<KindAddress, "group" | "plural">>,
  { subresource, names }: { subresource?: string; names?: readonly string[] } = {},
): PolicyRule {
  const suffix = subresource === undefined ? "" : `/${subresource}`;
  return {
    apiGroups: [...new Set(kinds.map(({ group }) => group))],
    resources: [...new Set(kinds.map(({ plural }) => `${plural}${suffix}`))],
    ...(names && { resourceNames: names }),
    verbs,
  };
}

/** Returns kinds in every group and version that clusters serve, the oldest first. */
export const everyVersion = (...kinds: readonly KindFacts[]): KindAddress[] =>
  kinds.flatMap((kind) => addressesOf(kind).toReversed());
