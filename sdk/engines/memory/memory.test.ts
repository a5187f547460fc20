import { describe, expect, it } from "vitest";
import { modelFacts } from "../models/model-facts.ts";
import { sglangMemory } from "../sglang/memory.ts";
import { vllmMemory } from "../vllm/memory.ts";
import { keyValueBytesPerSequence, keyValueBytesPerToken } from "./kv-cache.ts";
import { devicesOf, stageSizes } from "./layout.ts";
import { weightBytesPerDevice } from "./weights.ts";

const gib = 1024 ** 3;
const h100 = { bytes: 79.19 * gib, linked: true };
const llama = "meta-llama/Llama-3.1-8B-Instruct";

const factsOf = (name: string) => {
  const model = modelFacts(name);
  if (model === undefined) throw new Error(`${name} is not in the catalog`);
  return model;
};

describe("weights on a device", () => {
  /** GiB that vLLM printed, from bench/memory/engine-logs.ts. */
  it.each([
    [llama, { tensor: 1 }, 14.99],
    [llama, { tensor: 4 }, 3.77],
    [llama, { pipeline: 4 }, 4.26],
    ["Qwen/Qwen3-8B", { pipeline: 3 }, 5.48],
    ["Qwen/Qwen3-30B-A3B", { tensor: 4 }, 14.25],
    ["Qwen/Qwen3-32B", { tensor: 2 }, 30.59],
  ])("of %s over %o are within 1 % of vLLM's log", (name, layout, printed) => {
    const bytes = weightBytesPerDevice(factsOf(name), layout);
    expect(Math.abs(bytes / gib / printed - 1)).toBeLessThan(0.01);
  });

  it("experts are whole with expert parallelism, and attention is on every copy", () => {
    const model = factsOf("Qwen/Qwen3-235B-A22B-FP8");
    const attention = weightBytesPerDevice(model, { data: 128, expertParallel: true });
    const divided = weightBytesPerDevice(model, { data: 8, expertParallel: true });
    // 16 of 128 experts instead of one.
    const expert = (94 * 3 * 4096 * 1536 * (1 + 4 / 128 ** 2)) / gib;
    expect((divided - attention) / gib).toBeCloseTo(15 * expert, 3);
  });

  it("the rank with the most experts determines the bytes", () => {
    const model = factsOf("Qwen/Qwen3-30B-A3B");
    const sizes = [100, 127, 128].map((data) =>
      weightBytesPerDevice(model, { data, expertParallel: true }),
    );
    expect(sizes[0]).toBe(sizes[1]);
    expect(sizes[2]).toBeLessThan(sizes[0] as number);
  });

  it("key and value heads are copied if they are fewer than the ranks", () => {
    const model = factsOf(llama);
    const [at8, at32] = [8, 32].map((tensor) => weightBytesPerDevice(model, { tensor }));
    // Each of 8 heads is on four ranks: its projections do not become smaller.
    const heads = 32 * 4096 * 2 * 128 * 2;
    expect(at32).toBeCloseTo(((at8 as number) - heads) / 4 + heads, -3);
  });

  it("layers for speculative decoding are counted only if the engine loads them", () => {
    const model = factsOf("deepseek-ai/DeepSeek-R1");
    const draft =
      weightBytesPerDevice(model, {}, { draft: true }) - weightBytesPerDevice(model, {});
    expect(draft / 1e9).toBeCloseTo(11.7, 0);
  });

  it("quantization on loading shrinks all weights except the embeddings", () => {
    const bytes = weightBytesPerDevice(factsOf(llama), {}, { quantizedOnLoading: 1 });
    expect(bytes / gib).toBeCloseTo(8.46, 2);
  });
});

describe("keys and values", () => {
  it.each([
    ["meta-llama/Llama-2-7b-hf", { tensor: 1 }, 524_288],
    [llama, { tensor: 1 }, 131_072],
    [llama, { tensor: 8 }, 16_384],
    [llama, { tensor: 32 }, 16_384],
    [llama, { pipeline: 2 }, 65_536],
    ["deepseek-ai/DeepSeek-R1", { tensor: 1 }, 70_272],
    ["deepseek-ai/DeepSeek-R1", { tensor: 8 }, 70_272],
    ["deepseek-ai/DeepSeek-R1", { tensor: 8, attentionCopies: 8 }, 70_272],
    ["openai/gpt-oss-120b", { tensor: 1 }, 36_864],
    ["Qwen/Qwen3.5-27B", { tensor: 1 }, 65_536],
    ["BAAI/bge-m3", { tensor: 1 }, 0],
  ])("of %s over %o take %d bytes a token", (name, layout, bytes) => {
    expect(keyValueBytesPerToken(factsOf(name), layout)).toBe(bytes);
  });

  it("a token takes half the bytes in FP8, and 656 with an indexer for sparse attention", () => {
    expect(keyValueBytesPerToken(factsOf(llama), {}, { type: "fp8" })).toBe(65_536);
    const sparse = factsOf("deepseek-ai/DeepSeek-V3.2");
    expect(keyValueBytesPerToken(sparse, {}, { type: "fp8" })).toBe(61 * (656 + 132));
  });

  it("layers for speculative decoding have keys and values if the engine loads these layers", () => {
    const model = factsOf("deepseek-ai/DeepSeek-R1");
    expect(keyValueBytesPerToken(model, {}, { draft: true })).toBe(70_272 + 1152);
    expect(keyValueBytesPerSequence(model, { pipeline: 61 }, 10, { draft: true })).toBe(23_040);
  });

  it("layers with a window keep the window and the tokens of a step", () => {
    const model = factsOf("openai/gpt-oss-120b");
    const bytes = keyValueBytesPerSequence(model, {}, 10_000, { stepTokens: 872 });
    expect(bytes).toBe(18 * 2048 * (10_000 + 1000));
    expect(keyValueBytesPerSequence(model, {}, 10_000, { wholeWindows: true })).toBe(
      36 * 2048 * 10_000,
    );
  });

  it("linear layers keep one state for each sequence of any length", () => {
    const model = factsOf("Qwen/Qwen3.5-27B");
    const state = keyValueBytesPerSequence(model, {}, 0);
    expect(state / 2 ** 20).toBeCloseTo(146.8, 0);
    expect(keyValueBytesPerSequence(model, {}, 1000)).toBe(state + 65_536_000);
    expect(keyValueBytesPerSequence(model, { tensor: 4 }, 0)).toBe(state / 4);
  });

  it("of DeepSeek V4 take less than a fifth of DeepSeek V3's at 128k tokens", () => {
    const [v3, v4] = ["deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V4-Flash"].map((name) =>
      keyValueBytesPerSequence(factsOf(name), {}, 131_072),
    );
    expect(v4).toBeLessThan((v3 as number) / 5);
  });
});

describe("vLLM", () => {
  it("has within 1 % of the tokens that vLLM 0.19 logs on an H100", () => {
    const request = { layout: {}, device: h100, version: "0.19.0", utilization: 0.95 };
    const memory = vllmMemory(factsOf(llama), request);
    expect(memory.available / gib).toBeCloseTo(58.11, 1);
    expect(Math.abs(memory.tokens / 476_016 - 1)).toBeLessThan(0.01);
    expect(memory.concurrency(8192)).toBe(58);
    expect(memory.longest).toBe(131_072);
  });

  it("reserves more for a step before 0.12, which sorts all logits, and less on A100", () => {
    const activations = (version: string, capability: number) =>
      vllmMemory(factsOf(llama), { layout: {}, device: { ...h100, capability }, version })
        .activations / gib;
    expect(activations("0.19.0", 9)).toBeCloseTo(1.89, 1);
    expect(activations("0.11.0", 9)).toBeCloseTo(4.76, 1);
    expect(activations("0.19.0", 8)).toBeCloseTo(0.47, 1);
  });

  it("uses 0.9 of a device before 0.22 and 0.92 from then on", () => {
    const available = (version?: string) =>
      vllmMemory(factsOf(llama), {
        layout: {},
        device: h100,
        eager: true,
        ...(version && { version }),
      }).available;
    expect((available() - available("0.21.0")) / gib).toBeCloseTo(0.02 * 79.19, 2);
  });

  it("has no tokens for a model that does not fit", () => {
    const memory = vllmMemory(factsOf("meta-llama/Llama-3.3-70B-Instruct"), {
      ...{ layout: {}, device: h100 },
    });
    expect(memory.available).toBeLessThan(0);
    expect(memory).toMatchObject({ tokens: 0, longest: 0 });
    expect(memory.concurrency(8192)).toBe(0);
  });

  it("shortens the context to the longest sequence that fits", () => {
    const device = { bytes: 23.58 * gib };
    const { longest, bytesPerToken, available } = vllmMemory(factsOf(llama), {
      layout: {},
      device,
    });
    expect(longest).toBe(Math.floor(available / bytesPerToken));
    expect(longest).toBeLessThan(131_072);
  });
});

it("SGLang has as many tokens as in its log for Qwen3-235B on four H100", () => {
  const memory = sglangMemory(factsOf("Qwen/Qwen3-235B-A22B-FP8"), {
    ...{ layout: { tensor: 4 }, device: h100, memoryFraction: 0.93 },
  });
  expect(Math.abs(memory.tokens / 367_404 - 1)).toBeLessThan(0.02);
});

it("SGLang reserves 10 GiB of a large device for everything else by default, and more with attention copies", () => {
  const model = factsOf("deepseek-ai/DeepSeek-R1");
  const device = { bytes: 139.8 * gib, linked: true };
  const rest = (layout: object) => sglangMemory(model, { layout, device }).activations / gib;
  expect(rest({ tensor: 8 })).toBeCloseTo(14.3, 0);
  expect(rest({ tensor: 8, attentionCopies: 8 })).toBeGreaterThan(30);
  expect(sglangMemory(factsOf(llama), { layout: {}, device: h100 }).activations / gib).toBeCloseTo(
    12.7,
    0,
  );
});

describe("pipeline stages", () => {
  it("assign the remainder to the stages before the last", () => {
    expect(stageSizes(61, 2)).toEqual([31, 30]);
    expect(stageSizes(32, 5)).toEqual([6, 6, 7, 7, 6]);
    expect(stageSizes(94, 4).reduce((sum, size) => sum + size)).toBe(94);
  });

  it("multiply the devices of a layout", () => {
    expect(devicesOf({ tensor: 4, pipeline: 2, data: 3 })).toBe(24);
  });
});

describe("copies of the attention layers that share experts", () => {
  /** Tokens of the longest context that vLLM 0.10.1 printed in vllm-project/recipes#12, by share of memory. */
  it.each([
    [0.9, 205_728],
    [0.95, 235_296],
  ])("leave a context within 3 %% of vLLM's at a share of %d", (utilization, printed) => {
    const model = factsOf("Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8");
    const { longest } = vllmMemory(model, {
      layout: { tensor: 1, data: 8, expertParallel: true },
      device: { bytes: 139.8 * gib, linked: true },
      ...{ version: "0.10.1", utilization },
    });
    expect(Math.abs(longest / printed - 1)).toBeLessThan(0.03);
  });

  it("of dense models do not communicate", () => {
    const memory = (layout: object) =>
      vllmMemory(factsOf(llama), { layout, device: h100, version: "0.19.0" });
    expect(memory({ data: 8 }).available).toBe(memory({}).available);
  });
});
