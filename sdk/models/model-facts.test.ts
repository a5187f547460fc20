import { expect, it } from "vitest";
import { modelFacts, parametersOf, weightBytes } from "./model-facts.ts";

/** Billions of parameters by each model's card. A card counts what this count leaves out, and rounds. */
const published: Readonly<Record<string, number>> = {
  "deepseek-ai/DeepSeek-R1": 671,
  "meta-llama/Llama-2-7b-hf": 6.74,
  "meta-llama/Llama-3.1-8B-Instruct": 8.03,
  "Qwen/Qwen2.5-0.5B-Instruct": 0.494,
  "Qwen/Qwen3-4B": 4.02,
  "Qwen/Qwen3-8B": 8.19,
  "Qwen/Qwen3-32B": 32.8,
  "Qwen/Qwen3-235B-A22B-FP8": 235,
};

it.each(Object.entries(published))(
  "the sizes of %s add up to the parameters of its card",
  (name, billions) => {
    const model = modelFacts(name);
    if (model === undefined) throw new Error(`${name} is not in the table`);
    expect(Math.abs(parametersOf(model) / 1e9 / billions - 1)).toBeLessThan(0.005);
  },
);

it("weights are one byte each in FP8 and two in bfloat16, embeddings two in both", () => {
  const bytes = (name: string) => weightBytes(modelFacts(name) as never) / 1e9;
  expect(bytes("deepseek-ai/DeepSeek-R1")).toBeCloseTo(672.9, 0);
  expect(bytes("Qwen/Qwen3-8B")).toBeCloseTo(16.4, 1);
});

it("a model that is not in the table has no facts", () => {
  expect(modelFacts("constructor")).toBeUndefined();
});
