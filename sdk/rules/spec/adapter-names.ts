import { listedAdapters } from "../../engines/containers/adapters.ts";
import { servedModels } from "../../engines/containers/served-models.ts";
import type { FindingText } from "../../invariant.ts";
import type { ContainerShape } from "../../stack/shapes.ts";

/** Rule on the names of adapters that an engine loads at its start. Shared by the rules on specs and on stacks. */
export const adaptersHaveOwnNames = {
  id: "adapters-have-names-of-their-own",
  title:
    "A LoRA adapter has neither the name of another adapter of its engine nor the name of the model",
  why: "A request names one model. The engine answers requests for an adapter with the name of the model without the adapter. With two adapters of one name, the engine does not start or serves only one of them.",
  source: "vLLM, --lora-modules and OpenAIServingModels; SGLang, --lora-paths",
  code: "conflict",
} as const;

/** Returns the adapter of an engine whose name its model or another adapter has. */
export function repeatedAdapter(engine: ContainerShape): FindingText | undefined {
  const models = servedModels(engine) ?? [];
  const names = listedAdapters(engine).map(({ name }) => name);
  const name = names.find(
    (each, at) => each !== "" && (models.includes(each) || names.indexOf(each) < at),
  );
  if (name === undefined) return undefined;
  return {
    given: models.includes(name)
      ? `load an adapter with the name ${name}, which is the name of the engine's model`
      : `load two adapters with the name ${name}`,
    allowed: "one name for each adapter, different from the name of the model",
    fix: "Rename the adapter, or set another --served-model-name.",
  };
}
