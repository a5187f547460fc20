import type { Invariant } from "../../sdk/invariant.ts";
import { podChangeRules } from "../../sdk/plugins/pod-change-rules.ts";
import { stackRules } from "../../sdk/rules/objects/index.ts";
import { inferenceServiceAdvice } from "../../sdk/rules/spec/advice.ts";
import { inferenceServiceRules } from "../../sdk/rules/spec/index.ts";
import { llmServiceRules } from "../../sdk/rules/spec/llm-services.ts";
import { modelRewriteRules, rewritesAreNotChained } from "../../sdk/rules/spec/model-rewrites.ts";
import { modelServingRules } from "../../sdk/rules/spec/model-servings.ts";
import { clusterSetRules } from "../../sdk/rules/spec/multi-cluster/cluster-sets.ts";
import { importedPoolRules } from "../../sdk/rules/spec/multi-cluster/imported-pools.ts";
import { ownModelRules } from "../../sdk/rules/spec/own-models.ts";
import { llmServerPoolRules } from "../../sdk/rules/spec/pools.ts";
import { inferenceRouteRules } from "../../sdk/rules/spec/route-matches.ts";
import { wholeServiceAdvice } from "../../sdk/rules/spec/service-advice.ts";
import { serviceObjectivesRules } from "../../sdk/rules/spec/service-objectives.ts";
import { allPodPluginRules } from "../../sdk/validate/pod-plugins.ts";

import { code, table } from "./table.ts";

type Described = Pick<Invariant<never>, "id" | "title" | "why" | "source">;

const tables: Readonly<Record<string, readonly Described[]>> = {
  services: inferenceServiceRules,
  "service advice": [...inferenceServiceAdvice, ...wholeServiceAdvice],
  "own models": ownModelRules,
  "pod plugins": allPodPluginRules,
  "pod changes": podChangeRules,
  "model servings": modelServingRules,
  pools: llmServerPoolRules,
  "LLM services": llmServiceRules,
  rewrites: modelRewriteRules,
  "rewrite advice": [rewritesAreNotChained],
  routes: inferenceRouteRules,
  "service objectives": serviceObjectivesRules,
  "imported pools": importedPoolRules,
  "cluster sets": clusterSetRules,
  stacks: stackRules,
};

/** All rules, by the name of the table. */
export const ruleTables: Readonly<Record<string, () => string[]>> = Object.fromEntries(
  Object.entries(tables).map(([name, rules]) => [
    name,
    () =>
      table(
        ["Rule", "Requirement", "Reason", "Source"],
        rules.map(({ id, title, why, source }) => [code(id), title, why, source]),
      ),
  ]),
);
