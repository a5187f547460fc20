import type { Invariant } from "../sdk/invariant.ts";
import { inferenceServiceAdvice } from "../sdk/invariants/advice.ts";
import { clusterSetRules } from "../sdk/invariants/cluster-sets.ts";
import { importedPoolRules } from "../sdk/invariants/imported-pools.ts";
import { inferenceServiceRules, stackRules } from "../sdk/invariants/index.ts";
import { llmServiceRules } from "../sdk/invariants/llm-services.ts";
import { modelRewriteRules, rewritesAreNotChained } from "../sdk/invariants/model-rewrites.ts";
import { modelServingRules } from "../sdk/invariants/model-servings.ts";
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
    "The rules for specs and stacks, generated from the code by `npm run generate`.",
    "",
    "## An InferenceService",
    "",
    "A preview checks these rules before it plans anything, and reports all violations together.",
    "",
    ...table(inferenceServiceRules),
    "",
    "Violations of these rules are allowed, with a warning:",
    "",
    ...table(inferenceServiceAdvice),
    "",
    "For `models` and `rewrites` of an InferenceService:",
    "",
    ...table(ownModelRules),
    "",
    "### Pod plugins",
    "",
    "For `plugins` of an InferenceService or a ModelServing, and of its roles:",
    "",
    ...table(allPodPluginRules),
    "",
    "For the changes of a plugin of any type to a pod:",
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
    "For an InferencePool, the rules of its fields apply.",
    "",
    "## An LLMService",
    "",
    ...table(llmServiceRules),
    "",
    "## An InferenceModelRewrite",
    "",
    ...table(modelRewriteRules),
    "",
    "Violations of these rules are allowed, with a warning:",
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
    "These rules apply to every plan, and to objects of other authors.",
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
