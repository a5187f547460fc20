import { expect, it } from "vitest";
import { knownModels } from "./model-facts.ts";
import { similarModels } from "./similar-models.ts";

it.each([
  ["a letter too few", "meta-llama/Llama-3.1-8B-Instuct", "meta-llama/Llama-3.1-8B-Instruct"],
  ["another number", "Qwen/Qwen3-33B", "Qwen/Qwen3-32B"],
  ["no organization, and other case", "qwen3-32b", "Qwen/Qwen3-32B"],
  ["other signs between the words", "deepseek-ai/deepseek_r1", "deepseek-ai/DeepSeek-R1"],
  ["the beginning of a name", "llama-3.3-70b", "meta-llama/Llama-3.3-70B-Instruct"],
])("similarModels returns the model for a name with %s", (_what, written, model) => {
  expect(similarModels(written)[0]).toBe(model);
});

it.each(["foo/bar", "", "/", "a"])("similarModels returns nothing for %j", (written) => {
  expect(similarModels(written)).toEqual([]);
});

it("similarModels returns each model first for its own name, and at most four models", () => {
  const found = knownModels().map((name) => ({ name, similar: similarModels(name) }));
  expect(found.filter(({ name, similar }) => similar[0] !== name)).toEqual([]);
  expect(found.filter(({ similar }) => similar.length > 4)).toEqual([]);
});
