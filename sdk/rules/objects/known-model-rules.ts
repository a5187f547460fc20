import { z } from "zod";
import { argumentsField, type CommandLine } from "../../engines/command-line/started-programs.ts";
import { loadedModel } from "../../engines/containers/served-models.ts";
import { engineNameOf } from "../../engines/index.ts";
import { givenModels } from "../../engines/models/given-models.ts";
import { modelFacts } from "../../engines/models/model-facts.ts";
import { label } from "../../names.ts";
import type { Stack } from "../../stack/stack.ts";
import { engineOfPods, type Workload } from "../../stack/workloads.ts";
import { rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";

const { stackRule } = rulesOfPack("inference-gpu");

/** Returns each workload whose model is not in the catalog, so that no start-up check applies to it. */
export function* unknownModels({ workloads }: Pick<Stack, "workloads">) {
  for (const workload of workloads) {
    const [leader] = workload.pods;
    const engine = leader && engineOfPods(leader);
    const name = engine && unknownModel(engine.container);
    if (engine === undefined || name === undefined) continue;
    yield { name, workload, path: [...engine.path, argumentsField(engine.container)] };
  }
}

/**
 * Returns the name or the path of the model that an engine loads, if the catalog does not contain it. Undefined for an
 * unknown engine, and for a name without an owner or a folder, which is an alias of something else.
 */
function unknownModel(engine: CommandLine): string | undefined {
  if (engineNameOf(engine) === undefined) return undefined;
  const name = loadedModel(engine);
  return name?.includes("/") && modelFacts(name) === undefined ? name : undefined;
}

/** Reports whether the spec of a service may contain the config.json of the model. */
function mayBeDescribed({ object, namespace }: Workload, templated: readonly string[]): boolean {
  const service = object.manifest.metadata?.labels?.[label.service];
  return service !== undefined && !templated.includes(`${namespace}/${service}`);
}

const modelsOfStackAreKnown = stackRule(
  { id: "models-are-known", guidelines: ["G03"], code: "reference", level: "advisory" },
  {
    title: "The model of an engine is known, so that its start is checked",
    why: "Without the model's sizes, no check finds weights or a context that do not fit into memory.",
    source: "docs/start-up.md lists the checks that need the model's config.json",
    fix: "Pass the model's config.json, as the finding describes.",
    parameters: z.object({
      models: givenModels,
      templated: z
        .array(z.string())
        .default([])
        .describe(
          "InferenceServices without `model`, as NAMESPACE/NAME. The specs of other services contain their models.",
        ),
    }),
  },
  wholeStack,
  function* (stack, { parameters: { models, templated } }) {
    const byName = Map.groupBy(
      [...unknownModels(stack)].filter(({ workload }) => !mayBeDescribed(workload, templated)),
      ({ name }) => name,
    );
    for (const [name, [first]] of byName)
      if (first !== undefined && !Object.hasOwn(models, name))
        yield {
          path: first.path,
          given: `loads ${name}, which is not in the catalog, so memory, context, the division over devices, pipeline stages, quantization and loading time are not checked`,
          allowed: "a model whose config.json is known",
          fix: "Pass the model's config.json: npx pulumi-inference check --config config.json. Or set model.name and model.config of an InferenceService.",
        };
  },
);

export const knownModelRules: readonly StackRule[] = [modelsOfStackAreKnown];
