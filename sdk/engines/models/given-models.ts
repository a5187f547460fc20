/** Models that a parameter of rules describes, in addition to the catalog. */

import { z } from "zod";
import { ModelConfigError, modelFromConfig } from "./config.ts";
import type { ModelFacts } from "./model-facts.ts";

/** Contents of config.json by the name or the path that engines load. */
export const givenModels = z
  .record(z.string(), z.record(z.string(), z.unknown()))
  .default({})
  .superRefine((models, context) => {
    for (const [name, config] of Object.entries(models))
      try {
        modelFromConfig(config);
      } catch (error) {
        if (!(error instanceof ModelConfigError)) throw error;
        context.addIssue({ code: "custom", path: [name], message: error.message });
      }
  })
  .describe(
    "Contents of config.json of models that are not in the catalog, by the name or the path that the engine loads.",
  );

/** Returns a model for the context of a pod; undefined if no parameter describes it. */
export function givenModel(
  models: z.output<typeof givenModels>,
  name: string | undefined,
): { readonly name: string; readonly facts: ModelFacts } | undefined {
  const config = name !== undefined && Object.hasOwn(models, name) ? models[name] : undefined;
  return name === undefined || config === undefined
    ? undefined
    : { name, facts: modelFromConfig(config) };
}
