import { expect, it } from "vitest";
import { knownModels, modelFacts, parametersOf, weightBytes } from "./model-facts.ts";

/**
 * Billions of parameters from each model's card or report. Cards count parts that this count omits, and they round.
 */
const published: Readonly<Record<string, number>> = {
  "BAAI/bge-large-en-v1.5": 0.335,
  "BAAI/bge-reranker-v2-m3": 0.568,
  "MiniMaxAI/MiniMax-M2.5": 230,
  "Qwen/Qwen2.5-0.5B-Instruct": 0.494,
  "Qwen/Qwen2.5-1.5B-Instruct": 1.54,
  "Qwen/Qwen2.5-3B-Instruct": 3.09,
  "Qwen/Qwen2.5-7B-Instruct": 7.61,
  "Qwen/Qwen2.5-14B-Instruct": 14.7,
  "Qwen/Qwen2.5-32B-Instruct": 32.5,
  "Qwen/Qwen2.5-72B": 72.7,
  "Qwen/Qwen2.5-VL-7B-Instruct": 8.29,
  "Qwen/Qwen3-4B": 4.02,
  "Qwen/Qwen3-8B": 8.19,
  "Qwen/Qwen3-14B": 14.8,
  "Qwen/Qwen3-30B-A3B": 30.5,
  "Qwen/Qwen3-32B": 32.8,
  "Qwen/Qwen3-235B-A22B-FP8": 235,
  "Qwen/Qwen3-Coder-480B-A35B-Instruct": 480,
  "Qwen/Qwen3-Next-80B-A3B-Instruct": 80,
  "Qwen/Qwen3-VL-8B-Instruct": 8.77,
  "Qwen/Qwen3.5-35B-A3B": 35,
  "Qwen/Qwen3.5-122B-A10B": 122,
  "Qwen/Qwen3.5-397B-A17B": 397,
  "deepseek-ai/DeepSeek-R1": 671,
  "deepseek-ai/DeepSeek-V2-Lite-Chat": 15.7,
  "deepseek-ai/DeepSeek-V3.2": 671,
  "deepseek-ai/DeepSeek-V4-Flash": 284,
  "google/gemma-2-2b-it": 2.61,
  "google/gemma-2-9b": 9.24,
  "google/gemma-2-27b-it": 27.2,
  "google/gemma-3-1b-it": 1.0,
  "google/gemma-3-12b-it": 12.2,
  "google/gemma-3-27b-it": 27.4,
  "intfloat/e5-mistral-7b-instruct": 7.11,
  "meta-llama/Llama-2-7b-hf": 6.74,
  "meta-llama/Llama-3.1-8B-Instruct": 8.03,
  "meta-llama/Llama-3.1-405B-Instruct": 406,
  "meta-llama/Llama-3.2-1B-Instruct": 1.24,
  "meta-llama/Llama-3.2-3B-Instruct": 3.21,
  "meta-llama/Llama-3.3-70B-Instruct": 70.6,
  "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8": 402,
  "microsoft/Phi-3-mini-128k-instruct": 3.82,
  "microsoft/Phi-3.5-MoE-instruct": 41.9,
  "microsoft/phi-4": 14.7,
  "mistralai/Mistral-7B-Instruct-v0.3": 7.25,
  "mistralai/Mixtral-8x7B-Instruct-v0.1": 46.7,
  "mistralai/Mixtral-8x22B-Instruct-v0.1": 141,
  "nvidia/Llama-3_3-Nemotron-Super-49B-v1": 49.9,
  "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 31.6,
  "openai/gpt-oss-20b": 20.9,
  "openai/gpt-oss-120b": 116.8,
  "zai-org/GLM-4.5-Air": 106,
  "zai-org/GLM-5": 744,
};

const factsOf = (name: string) => {
  const model = modelFacts(name);
  if (model === undefined) throw new Error(`${name} is not in the catalog`);
  return model;
};

it.each(Object.entries(published))(
  "the sizes of %s add up to the parameters of its card within 1 %",
  (name, billions) => {
    expect(Math.abs(parametersOf(factsOf(name)) / 1e9 / billions - 1)).toBeLessThan(0.01);
  },
);

it("weights are one byte each in FP8 and two in bfloat16, embeddings two in both", () => {
  const bytes = (name: string) => weightBytes(factsOf(name)) / 1e9;
  expect(bytes("deepseek-ai/DeepSeek-R1")).toBeCloseTo(672.9, 0);
  expect(bytes("Qwen/Qwen3-8B")).toBeCloseTo(16.4, 1);
});

it("weights in 4 bits have the bytes of their scales", () => {
  const bytes = (name: string) => weightBytes(factsOf(name)) / 1e9;
  // The totals of the checkpoints' safetensors files.
  expect(bytes("openai/gpt-oss-120b")).toBeCloseTo(65.2, 0);
  expect(bytes("openai/gpt-oss-20b")).toBeCloseTo(13.8, 0);
  expect(bytes("moonshotai/Kimi-K2.5")).toBeCloseTo(595, 0);
});

it("a model that is not in the catalog has no facts", () => {
  expect(modelFacts("constructor")).toBeUndefined();
  expect(knownModels()).not.toContain("constructor");
});

it("every entry of the catalog has readable sizes", () => {
  expect(knownModels().length).toBeGreaterThanOrEqual(150);
  for (const name of knownModels()) {
    const model = factsOf(name);
    expect(model.context, name).toBeGreaterThanOrEqual(512);
    expect(model.stack.length, name).toBe(model.layers);
    expect(Number.isInteger(model.attention.heads), name).toBe(true);
    expect(weightBytes(model), name).toBeGreaterThan(parametersOf(model) * 0.5);
  }
});

it("models of Meta and Google before Gemma 4 need a token, but DeepSeek models do not", () => {
  expect(factsOf("meta-llama/Llama-3.3-70B-Instruct").gated).toBe(true);
  expect(factsOf("google/gemma-3-27b-it").gated).toBe(true);
  expect(factsOf("deepseek-ai/DeepSeek-R1-Distill-Llama-70B").gated).toBe(false);
});

it.each([
  ["Qwen/Qwen3-Embedding-8B", "embed"],
  ["BAAI/bge-m3", "embed"],
  ["BAAI/bge-reranker-v2-m3", "rerank"],
  ["Qwen/Qwen3-8B", "generate"],
])("%s is published to %s", (name, task) => {
  expect(factsOf(name).task).toBe(task);
});
