import { knownModels, type ModelFacts, type ModelTask, modelFacts } from "./model-facts.ts";
import { parametersOf, weightBytes } from "./parameters.ts";

/** A model of the catalog, as a row of a table. */
export interface ModelRow {
  readonly name: string;
  readonly task: ModelTask;
  readonly parametersBillion: number;
  readonly weightsGiB: number;
  /** Longest context in tokens. */
  readonly context: number;
  /** Kinds of attention of its layers. */
  readonly attention: string;
  readonly gated: boolean;
}

/** Returns every model of the catalog, sorted by name. */
export const modelRows = (): ModelRow[] =>
  knownModels().flatMap((name) => {
    const facts = modelFacts(name);
    return facts === undefined ? [] : [modelRow(name, facts)];
  });

export const modelRow = (name: string, facts: ModelFacts): ModelRow => ({
  name,
  task: facts.task,
  parametersBillion: Math.round(parametersOf(facts) / 1e8) / 10,
  weightsGiB: Math.round((weightBytes(facts) / 2 ** 30) * 10) / 10,
  context: facts.context,
  attention: attentionOf(facts),
  gated: facts.gated,
});

/** Returns the kinds of attention as text, such as `GQA, some layers with a sliding window`. */
function attentionOf({ attention, stack, encoder }: ModelFacts): string {
  const mixers = stack.flatMap(({ mixer }) => mixer ?? []);
  const layers = mixers.filter(({ kind }) => kind !== "linear");
  const windows = layers.filter((each) => each.kind === "grouped" && each.window !== undefined);
  const hasIndexer = layers.some((each) => "indexer" in each && each.indexer !== undefined);
  const parts = [kindOf(attention)];
  if (encoder) parts.push("bidirectional");
  if (hasIndexer) parts.push("sparse");
  if (windows.length > 0)
    parts.push(`${windows.length < layers.length ? "some layers with a " : ""}sliding window`);
  if (layers.length < mixers.length) parts.push("most layers linear");
  return parts.join(", ");
}

function kindOf(attention: ModelFacts["attention"]): string {
  if (attention.kind === "latent") return "MLA";
  if (attention.kind === "compressed") return "compressed";
  const { heads, keyValueHeads } = attention;
  if (keyValueHeads === heads) return "MHA";
  return keyValueHeads === 1 ? "MQA" : "GQA";
}
