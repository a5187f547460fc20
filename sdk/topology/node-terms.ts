import { holdsDeferred, isDeferred } from "../../kubernetes/values/deferred.ts";

/** The parts of a pod that restrict its nodes (core/v1 NodeSelectorTerm and Toleration). */

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
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
