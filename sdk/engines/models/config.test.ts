import { describe, expect, it } from "vitest";
import { ModelConfigError, modelFromConfig } from "./config.ts";
import { modelFacts } from "./model-facts.ts";

/** A small dense model. */
const small = {
  architectures: ["LlamaForCausalLM"],
  model_type: "llama",
  ...{ hidden_size: 512, num_hidden_layers: 4, num_attention_heads: 8, num_key_value_heads: 2 },
  ...{ intermediate_size: 1024, vocab_size: 1000, max_position_embeddings: 4096 },
  torch_dtype: "bfloat16",
};

const without = (name: string) =>
  Object.fromEntries(Object.entries(small).filter(([each]) => each !== name));

const kindsOf = (config: object) =>
  modelFromConfig(config).stack.map(({ mixer }) =>
    mixer?.kind === "grouped" ? (mixer.window ?? "full") : mixer?.kind,
  );

describe("errors", () => {
  it.each([
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
  ])("names the missing field %s", (name) => {
    expect(() => modelFromConfig(without(name))).toThrow(ModelConfigError);
    expect(() => modelFromConfig(without(name))).toThrow(`"${name}`);
  });

  it("names a field that is not a number, with its value", () => {
    expect(() => modelFromConfig({ ...small, hidden_size: "512" })).toThrow(
      'config.json: "hidden_size" is "512"; allowed: a number of at least 0.',
    );
  });

  it("refuses a value that is not an object", () => {
    expect(() => modelFromConfig([small])).toThrow("config.json is not an object");
  });

  it("names an excluded module that is not a regular expression", () => {
    const quantization_config = {
      quant_method: "compressed-tensors",
      ignore: ["re:("],
      config_groups: {},
    };
    expect(() => modelFromConfig({ ...small, quantization_config })).toThrow('"re:("');
  });
});

it("fields that are null are missing", () => {
  expect(modelFromConfig({ ...small, num_key_value_heads: null }).attention).toMatchObject({
    keyValueHeads: 8,
    headSize: 64,
  });
});

it("modelFromConfig reads the language model of a multimodal model", () => {
  const { architectures, ...text_config } = small;
  const facts = modelFromConfig({
    architectures,
    text_config,
    vision_config: { hidden_size: 64, num_hidden_layers: 2, intermediate_size: 128 },
  });
  expect(facts).toMatchObject({ layers: 4, hidden: 512, vocabulary: 1000 });
  expect(facts.vision).toBeGreaterThan(0);
});

it("fields that are missing in the file of Gemma 3 27B get the defaults of transformers", () => {
  const facts = modelFromConfig({
    architectures: ["Gemma3ForConditionalGeneration"],
    text_config: {
      ...{ model_type: "gemma3_text", hidden_size: 5376, intermediate_size: 21_504, head_dim: 128 },
      ...{ num_attention_heads: 32, num_key_value_heads: 16, num_hidden_layers: 62 },
      ...{ sliding_window: 1024, rope_scaling: { factor: 8, rope_type: "linear" } },
    },
  });
  expect(facts).toMatchObject({ vocabulary: 262_208, context: 131_072, tied: true });
  expect(facts.stack.filter(({ mixer }) => mixer && "window" in mixer)).toHaveLength(52);
});

describe("context", () => {
  const context = (fields: object) => modelFromConfig({ ...small, ...fields }).context;

  it("the context with YaRN is the original context times the factor", () => {
    const rope_scaling = { type: "yarn", factor: 4, original_max_position_embeddings: 8192 };
    expect(context({ rope_scaling })).toBe(32_768);
  });

  it("the context with Llama 3 scaling or none equals the positions", () => {
    const rope_scaling = { rope_type: "llama3", factor: 8, original_max_position_embeddings: 8192 };
    expect(context({ rope_scaling })).toBe(4096);
    expect(context({})).toBe(4096);
  });

  it("the context of Gemma 3 equals the positions, which are already scaled", () => {
    const rope_scaling = { rope_type: "linear", factor: 8 };
    expect(context({ rope_scaling })).toBe(32_768);
    expect(context({ rope_scaling, model_type: "gemma3_text" })).toBe(4096);
  });
});

describe("layers", () => {
  it("windows alternate by layer_types", () => {
    const layer_types = [
      "sliding_attention",
      "full_attention",
      "sliding_attention",
      "full_attention",
    ];
    expect(kindsOf({ ...small, sliding_window: 128, layer_types })).toEqual([
      128,
      "full",
      128,
      "full",
    ]);
  });

  it("layers have no window if use_sliding_window is false", () => {
    const fields = { model_type: "qwen2", sliding_window: 1024, use_sliding_window: false };
    expect(kindsOf({ ...small, ...fields })).toEqual(["full", "full", "full", "full"]);
  });

  it("a window that is longer than the context is ignored", () => {
    const fields = { model_type: "phi3", sliding_window: 262_144 };
    expect(kindsOf({ ...small, ...fields })).toEqual(["full", "full", "full", "full"]);
    expect(kindsOf({ ...small, ...fields, sliding_window: 2048 })).toEqual([
      2048, 2048, 2048, 2048,
    ]);
  });

  it("lists of Kimi K3 number the layers from 1", () => {
    const kinds = modelFacts("moonshotai/Kimi-K3")?.stack.map(({ mixer }) => mixer?.kind);
    expect(kinds?.filter((kind) => kind === "latent")).toHaveLength(24);
    expect(kinds?.slice(0, 4)).toEqual(["linear", "linear", "linear", "latent"]);
  });

  it("layers of Qwen3-Next keep a state, except every fourth", () => {
    const kinds = modelFacts("Qwen/Qwen3-Next-80B-A3B-Instruct")?.stack.map(
      ({ mixer }) => mixer?.kind,
    );
    expect(kinds?.filter((kind) => kind === "grouped")).toHaveLength(12);
    expect(kinds?.slice(0, 4)).toEqual(["linear", "linear", "linear", "grouped"]);
  });

  it("a layer of Nemotron-H is only one of state space, attention and experts", () => {
    const stack = modelFacts("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16")?.stack ?? [];
    expect(stack.filter(({ mixer }) => mixer?.kind === "grouped")).toHaveLength(6);
    expect(stack.filter(({ experts }) => experts !== undefined)).toHaveLength(23);
    expect(stack.filter(({ mixer, experts }) => mixer && experts)).toHaveLength(0);
  });

  it("layers of DeepSeek V3 have experts after the dense ones", () => {
    const stack = modelFacts("deepseek-ai/DeepSeek-V3")?.stack ?? [];
    expect(stack.map(({ experts }) => experts !== undefined).indexOf(true)).toBe(3);
    expect(stack[2]?.dense?.width).toBe(18_432);
  });

  it("layers of DeepSeek V4 compress tokens by its ratios, with an indexer for the smaller one", () => {
    const mixers = modelFacts("deepseek-ai/DeepSeek-V4-Flash")?.stack.map(({ mixer }) => mixer);
    expect(mixers?.slice(1, 4)).toMatchObject([
      { ratio: 0 },
      { ratio: 4, indexer: { heads: 64, headSize: 128 } },
      { ratio: 128 },
    ]);
    expect(mixers?.[3]).not.toHaveProperty("indexer");
  });
});

describe("quantization", () => {
  const partsOf = (name: string) => modelFacts(name)?.weights.quantized;

  it("FP8 blocks cover all linear layers, but not the head", () => {
    expect(partsOf("deepseek-ai/DeepSeek-R1")).toMatchObject({
      attention: { method: "fp8-block", block: 128 },
      experts: { method: "fp8-block", block: 128 },
    });
    expect(partsOf("deepseek-ai/DeepSeek-R1")).not.toHaveProperty("head");
  });

  it("MXFP4 covers only the experts of gpt-oss", () => {
    expect(Object.keys(partsOf("openai/gpt-oss-120b") ?? {})).toEqual(["experts"]);
  });

  it("patterns, globs and names exclude parts", () => {
    expect(partsOf("moonshotai/Kimi-K2.5")).toMatchObject({
      experts: { method: "int4", group: 32 },
    });
    expect(partsOf("moonshotai/Kimi-K2.5")).not.toHaveProperty("attention");
    expect(partsOf("nvidia/GLM-5.1-NVFP4")).not.toHaveProperty("shared");
    expect(partsOf("nvidia/DeepSeek-V3.1-NVFP4")).not.toHaveProperty("attention");
    expect(partsOf("nvidia/DeepSeek-V3.1-NVFP4")).toHaveProperty("attentionOutput");
  });

  it("a mixed checkpoint has a method for each part", () => {
    expect(partsOf("nvidia/Qwen3.6-27B-NVFP4")).toMatchObject({
      linear: { method: "fp8-tensor" },
      dense: { method: "nvfp4" },
    });
  });

  it("AWQ has its group size and the bytes of its scales", () => {
    const quantization_config = { quant_method: "awq", bits: 4, group_size: 128 };
    const { weights } = modelFromConfig({ ...small, quantization_config });
    expect(weights).toMatchObject({
      bytes: 0.5,
      quantized: { dense: { method: "awq", group: 128 } },
    });
    expect(weights.quantized.dense?.bytes).toBeCloseTo(0.52, 2);
  });
});

it("Gemma refuses float16, Llama accepts it", () => {
  expect(modelFacts("google/gemma-3-27b-it")?.refusesFloat16).toBe(true);
  expect(modelFacts("meta-llama/Llama-3.1-8B")?.refusesFloat16).toBe(false);
});

it("the data type is read from the checkpoint", () => {
  expect(modelFacts("BAAI/bge-m3")?.weights.dataType).toBe("float32");
  expect(modelFacts("meta-llama/Llama-2-7b-hf")?.weights.dataType).toBe("float16");
});
