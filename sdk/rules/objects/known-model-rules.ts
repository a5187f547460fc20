import { z } from "zod";
import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { givenModels } from "../../engines/models/given-models.ts";
import {
  modelsAreKnown,
  uncheckedModel,
  unknownModel,
} from "../../engines/start-up/unknown-model.ts";
import { label } from "../../names.ts";
import type { Stack } from "../../stack/stack.ts";
import { engineOfPods, type Workload } from "../../stack/workloads.ts";
import { rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";

const { stackRule } = rulesOfPack("inference-gpu");

/** Returns each workload whose model is not in the catalog. */
export function* unknownModels({ workloads }: Pick<Stack, "workloads">) {
  for (const workload of workloads) {
    const [leader] = workload.pods;
    const engine = leader && engineOfPods(leader);
    const name = engine && unknownModel(engine.container);
    if (engine === undefined || name === undefined) continue;
    yield { name, workload, path: [...engine.path, argumentsField(engine.container)] };
  }
}

/** Reports whether the spec of a service may contain the config.json of the model. */
function mayBeDescribed({ object, namespace }: Workload, templated: readonly string[]): boolean {
  const service = object.manifest.metadata?.labels?.[label.service];
  return service !== undefined && !templated.includes(`${namespace}/${service}`);
}

const modelsOfStackAreKnown = stackRule(
  { id: modelsAreKnown.id, guidelines: ["G03"], code: modelsAreKnown.code, level: "advisory" },
  {
    ...modelsAreKnown,
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
        yield { path: first.path, ...uncheckedModel(name) };
  },
);

export const knownModelRules: readonly StackRule[] = [modelsOfStackAreKnown];
