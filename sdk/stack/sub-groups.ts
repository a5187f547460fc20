import type { PodGroupShape } from "./shapes.ts";
import type { PodTemplateUse } from "./workloads.ts";

/**
 * A sub-group policy of a PodGroup: the labels that distinguish replicas, and the number of replicas that start
 * together.
 */
export type SubGroup = NonNullable<PodGroupShape["subGroupPolicy"]>[number];

export const selectsPods = (
  { labelSelector }: SubGroup,
  { labels }: Pick<PodTemplateUse, "labels">,
): boolean =>
  Object.entries(labelSelector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);

export const subGroupPods = (
  policy: SubGroup,
  members: readonly PodTemplateUse[],
): PodTemplateUse[] => members.filter((pods) => selectsPods(policy, pods));
