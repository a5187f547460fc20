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
    "What a spec and a stack are held to, made from the rules themselves by `npm run generate`.",
    "",
    "## An InferenceService",
    "",
    "Held at preview, before anything is planned. All broken rules are reported together.",
    "",
    ...table(inferenceServiceRules),
    "",
    "Warned of, and allowed:",
    "",
    ...table(inferenceServiceAdvice),
    "",
    "Beside `models` and `rewrites` of an InferenceService:",
    "",
    ...table(ownModelRules),
    "",
    "### Pod plugins",
    "",
    "Beside `plugins` of an InferenceService or a ModelServing, and of its roles:",
    "",
    ...table(allPodPluginRules),
    "",
    "What a plugin may not do to a pod, whatever its type:",
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
    "An InferencePool is held to those that its fields have.",
    "",
    "## An LLMService",
    "",
    ...table(llmServiceRules),
    "",
    "## An InferenceModelRewrite",
    "",
    ...table(modelRewriteRules),
    "",
    "Warned of, and allowed:",
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
    "Hold for every plan, and for objects of other authors.",
    "",
    ...table(stackRules),
    "",
  ].join("\n");
}

function table(rules: ReadonlyArray<Pick<Invariant<never>, "id" | "title" | "why" | "source">>) {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return [
    "| Rule | Says | Why | Source |",
    "|---|---|---|---|",
    ...rules.map(
      (rule) => `| \`${rule.id}\` | ${[rule.title, rule.why, rule.source].map(cell).join(" | ")} |`,
    ),
  ];
}
