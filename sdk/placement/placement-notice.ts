import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { requiredTerms } from "../engines/accelerators/node-terms.ts";
import { label } from "../names.ts";
import type { PodSpec } from "../schemas/pod-template.ts";
import type { ClusterNode } from "./cluster-node.ts";
import { type NodePool, nodeChoice } from "./node-choice.ts";

/** Pods of a role that may run on some nodes only. */
export interface PlacedRole {
  readonly role: string;
  readonly pod: PodSpec;
}

/** Returns a pod of each role whose LeaderWorkerSets select nodes. */
export const placedRoles = (manifests: readonly Manifest[]): PlacedRole[] =>
  rolePods(manifests).filter(({ pod }) => selectsNodes(pod));

/** Returns a pod of each role with a LeaderWorkerSet: the leader, if it has a template of its own. */
export function rolePods(manifests: readonly Manifest[]): PlacedRole[] {
  const sets = manifests.filter(({ kind }) => kind === "LeaderWorkerSet");
  const roles = new Map<string, PodSpec>();
  for (const { metadata, spec } of sets) {
    const { leaderTemplate, workerTemplate } = (spec as SetSpec).leaderWorkerTemplate;
    const pod = (leaderTemplate ?? workerTemplate).spec;
    roles.set(metadata.labels?.[label.roleName] ?? metadata.name, pod);
  }
  return [...roles].map(([role, pod]) => ({ role, pod }));
}

interface SetSpec {
  readonly leaderWorkerTemplate: {
    readonly leaderTemplate?: { readonly spec: PodSpec };
    readonly workerTemplate: { readonly spec: PodSpec };
  };
}

const selectsNodes = (pod: PodSpec): boolean =>
  Object.keys((pod as { nodeSelector?: object }).nodeSelector ?? {}).length > 0 ||
  (requiredTerms(pod) ?? []).length > 0;

/** Returns a sentence for each role that no node of a cluster accepts, with its reason. */
export const placementNotices = (
  roles: readonly PlacedRole[],
  nodes: readonly ClusterNode[],
  pools: readonly NodePool[],
): string[] =>
  roles.flatMap(({ role, pod }) => {
    const { shortage } = nodeChoice(pod, nodes, pools);
    return shortage === undefined ? [] : [`role ${role}: ${shortage}`];
  });
