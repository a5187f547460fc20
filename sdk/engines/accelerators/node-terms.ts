import { holdsDeferred, isDeferred } from "../../../kubernetes/values/deferred.ts";

/** Required node affinity of a pod (core/v1 NodeSelectorTerm). */

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
    };
  };
}

/**
 * Returns the alternatives of a pod's required node affinity: none if it has no such affinity; undefined if a part of
 * it is known only later.
 */
export function requiredTerms({
  affinity,
}: {
  readonly affinity?: unknown;
}): readonly NodeSelectorTerm[] | undefined {
  if (isDeferred(affinity)) return undefined;
  const { nodeAffinity } = (affinity ?? {}) as Affinity;
  if (holdsDeferred(nodeAffinity)) return undefined;
  return nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}
