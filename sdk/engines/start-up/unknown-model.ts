/** Models of templates about which nothing is known, so that no start-up check applies to them. */

import type { CommandLine } from "../command-line/started-programs.ts";
import { loadedModel } from "../containers/served-models.ts";
import { engineNameOf } from "../index.ts";
import { modelFacts } from "../models/model-facts.ts";

/**
 * Returns the name or the path of the model that an engine loads, if the catalog does not contain it. Undefined for an
 * unknown engine, and for a name without an owner or a folder, which is an alias of something else.
 */
export function unknownModel(engine: CommandLine): string | undefined {
  if (engineNameOf(engine) === undefined) return undefined;
  const name = loadedModel(engine);
  return name?.includes("/") && modelFacts(name) === undefined ? name : undefined;
}

/** Returns the texts of a finding on such a model. */
export const uncheckedModel = (name: string) => ({
  given: `loads ${name}, which is not in the catalog, so memory, context, the division over devices, pipeline stages, quantization and loading time are not checked`,
  allowed: "a model whose config.json is known",
  fix: "Pass the model's config.json: npx pulumi-inference check --config config.json. Or set model.name and model.config of an InferenceService.",
});

export const modelsAreKnown = {
  id: "models-are-known",
  title: "The model of an engine is known, so that its start is checked",
  why: "Without the model's sizes, no check finds weights or a context that do not fit into memory.",
  source: "docs/start-up.md lists the checks that need the model's config.json",
  code: "reference",
} as const;
