import type { Invariant } from "../../sdk/invariant.ts";
import { inferenceServiceAdvice } from "../../sdk/invariants/advice.ts";
import { inferenceServiceRules, stackRules } from "../../sdk/invariants/index.ts";
import { llmServiceRules } from "../../sdk/invariants/llm-services.ts";
import { modelRewriteRules, rewritesAreNotChained } from "../../sdk/invariants/model-rewrites.ts";
import { modelServingRules } from "../../sdk/invariants/model-servings.ts";
import { clusterSetRules } from "../../sdk/invariants/multi-cluster/cluster-sets.ts";
import { importedPoolRules } from "../../sdk/invariants/multi-cluster/imported-pools.ts";
import { ownModelRules } from "../../sdk/invariants/own-models.ts";
import { llmServerPoolRules } from "../../sdk/invariants/pools.ts";
import { inferenceRouteRules } from "../../sdk/invariants/route-matches.ts";
import { wholeServiceAdvice } from "../../sdk/invariants/service-advice.ts";
import { serviceObjectivesRules } from "../../sdk/invariants/service-objectives.ts";
import { podChangeRules } from "../../sdk/plugins/pod-change-rules.ts";
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
