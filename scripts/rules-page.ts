import type { Invariant } from "../sdk/invariant.ts";
import { inferenceServiceAdvice } from "../sdk/invariants/advice.ts";
import { inferenceServiceRules, stackRules } from "../sdk/invariants/index.ts";
import { llmServiceRules } from "../sdk/invariants/llm-services.ts";
import { modelRewriteRules, rewritesAreNotChained } from "../sdk/invariants/model-rewrites.ts";
import { modelServingRules } from "../sdk/invariants/model-servings.ts";
import { clusterSetRules } from "../sdk/invariants/multi-cluster/cluster-sets.ts";
import { importedPoolRules } from "../sdk/invariants/multi-cluster/imported-pools.ts";
import { ownModelRules } from "../sdk/invariants/own-models.ts";
import { llmServerPoolRules } from "../sdk/invariants/pools.ts";
import { inferenceRouteRules } from "../sdk/invariants/route-matches.ts";
import { podChangeRules } from "../sdk/plugins/pod-change-rules.ts";
import { allPodPluginRules } from "../sdk/validate/pod-plugins.ts";

/** The reference page of all rules, from the rules themselves. */
export function rulesPage(): string {
  return [
    "# Rules",
    "",
    "All rules for specs and stacks, with the reason and source of each. `npm run generate` writes this page from the code.",
    "",
    "## An InferenceService",
    "",
    "The preview checks these rules before it plans any object, and reports all violations together.",
    "",
    ...table(inferenceServiceRules),
    "",
    "Violations of these rules are warnings:",
    "",
    ...table(inferenceServiceAdvice),
    "",
    "For `models`, `rewrites` and `export` of an InferenceService:",
    "",
    ...table(ownModelRules),
    "",
    "### Pod plugins",
    "",
    "For `plugins` of an InferenceService or a ModelServing and of their roles:",
    "",
    ...table(allPodPluginRules),
    "",
    "Limits on the changes that any plugin makes to a pod:",
    "",
    ...table(podChangeRules),
    "",
    "## A ModelServing",
    "",
    ...table(modelServingRules),
    "",
    "## An LLMServerPool",
    "",
    ...table(llmServerPoolRules),
    "",
    "For an InferencePool, the rules apply to the fields that it has.",
    "",
    "## An LLMService",
    "",
    ...table(llmServiceRules),
    "",
    "## An InferenceModelRewrite",
    "",
    ...table(modelRewriteRules),
    "",
    "Violations of these rules are warnings:",
    "",
    ...table([rewritesAreNotChained]),
    "",
    "## An InferenceRoute",
    "",
    ...table(inferenceRouteRules),
    "",
    "## An ImportedInferencePool",
    "",
    ...table(importedPoolRules),
    "",
    "## A ClusterSet",
    "",
    ...table(clusterSetRules),
    "",
    "## A stack",
    "",
    "These rules apply to every plan and to any other Kubernetes objects of a stack.",
    "",
    ...table(stackRules),
    "",
  ].join("\n");
}

function table(rules: ReadonlyArray<Pick<Invariant<never>, "id" | "title" | "why" | "source">>) {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return [
    "| Rule | Requirement | Reason | Source |",
    "|---|---|---|---|",
    ...rules.map(
      (rule) => `| \`${rule.id}\` | ${[rule.title, rule.why, rule.source].map(cell).join(" | ")} |`,
    ),
  ];
}
