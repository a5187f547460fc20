import type { AliasInput } from "../../manager/metrics/alias.ts";

/** Names a metric as upstream named it before, with the labels that the older name has. */
export const older = (name: string, labels: readonly string[] = []): AliasInput => ({
  name,
  help: "Older name of a metric llm_d_epp_*.",
  labels: Object.fromEntries(labels.map((label) => [label, label])),
});
