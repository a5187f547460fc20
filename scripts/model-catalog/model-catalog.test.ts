import { describe, expect, it } from "vitest";
import stored from "../../sdk/engines/models/catalog.json" with { type: "json" };
import { ModelConfigError, modelFromConfig } from "../../sdk/engines/models/config.ts";
import { addModels } from "./add-models.ts";
import { type Catalog, catalogSchema } from "./catalog-schema.ts";
import { fieldsRead } from "./fields-read.ts";

const config = {
  architectures: ["AModel"],
  model_type: "llama",
  transformers_version: "4.57.1",
  hidden_size: 64,
  num_hidden_layers: 1,
  num_attention_heads: 4,
  intermediate_size: 128,
  vocab_size: 100,
  max_position_embeddings: 512,
  quantization_config: {
    quant_method: "compressed-tensors",
    format: "pack-quantized",
    config_groups: {
      group_1: { targets: ["Linear"], weights: { num_bits: 4, type: "int", observer: "mse" } },
      group_0: { targets: ["lm_head"], input_activations: null },
    },
  },
};

describe("catalog.json", () => {
  it("fits the schema and is sorted as the script writes it", () => {
    expect(JSON.stringify(addModels(stored as Catalog, {}, {}))).toBe(JSON.stringify(stored));
  });

  it("contains only fields that the reader of config.json reads", () => {
    for (const [name, row] of Object.entries((stored as Catalog).models))
      if (row.config !== undefined)
        expect(JSON.stringify(fieldsRead(row.config)), name).toBe(JSON.stringify(row.config));
  });

  const row = { source: "its card, in blocks", date: "2026-11-30" };
  it.each([
    ["a base that is missing", { ...row, base: "a/other" }],
    ["a base that has a base", { ...row, base: "a/alias" }],
    ["a base and a config", { ...row, base: "a/model", config }],
    ["neither base nor config", row],
    ["fields without a base", { ...row, config, fields: {} }],
    ["no source", { date: row.date, config }],
    ["a misspelled key as its source", { ...row, source: "aiconfigurater", config }],
    ["no date", { source: row.source, config }],
    ["a date without a day", { ...row, date: "2026-11", config }],
    ["an unknown task", { ...row, config, task: "rank" }],
    ["an unknown part", { ...row, config, license: "mit" }],
  ])("is refused with a row that has %s", (_, refused) => {
    const models = { "a/model": { ...row, config }, "a/alias": { ...row, base: "a/model" } };
    const sources = { aiconfigurator: "github.com/ai-dynamo/aiconfigurator" };
    expect(catalogSchema.safeParse({ sources, models }).success).toBe(true);
    const changed = { sources, models: { ...models, "a/refused": refused } };
    expect(catalogSchema.safeParse(changed).error?.issues).toHaveLength(1);
  });
});

describe("fieldsRead", () => {
  it("keeps the fields that decide the facts, sorted, and the order of quantization groups", () => {
    const read = fieldsRead(config);
    expect(JSON.stringify(read)).toBe(
      JSON.stringify({
        architectures: ["AModel"],
        hidden_size: 64,
        intermediate_size: 128,
        max_position_embeddings: 512,
        model_type: "llama",
        num_attention_heads: 4,
        num_hidden_layers: 1,
        quantization_config: {
          quant_method: "compressed-tensors",
          config_groups: {
            group_1: { targets: ["Linear"], weights: { num_bits: 4, type: "int" } },
            group_0: { targets: ["lm_head"] },
          },
        },
        vocab_size: 100,
      }),
    );
    expect(modelFromConfig(read)).toEqual(modelFromConfig(config));
  });

  it("keeps fields of the nested configuration of a multimodal model, without its defaults", () => {
    const nested = {
      architectures: ["Gemma3ForConditionalGeneration"],
      text_config: { model_type: "gemma3_text", hidden_size: 2560, query_pre_attn_scalar: 256 },
    };
    expect(fieldsRead(nested)).toEqual({
      architectures: ["Gemma3ForConditionalGeneration"],
      text_config: { model_type: "gemma3_text", hidden_size: 2560 },
    });
  });

  it("refuses a configuration that the reader refuses", () => {
    expect(() => fieldsRead({ ...config, hidden_size: null })).toThrow(ModelConfigError);
    expect(() => fieldsRead([])).toThrow(ModelConfigError);
  });
});

describe("addModels", () => {
  const catalog: Catalog = {
    sources: {},
    models: {
      "a/base": { source: "its card, in blocks", date: "2026-11-01", task: "embed", config },
      "b/alias": { source: "its card, in blocks", date: "2026-11-01", gated: true, base: "a/base" },
    },
  };

  it("adds a row in the order of names", () => {
    const row = { source: "a copy of it", date: "2026-11-30" };
    const { models } = addModels(catalog, { "a/new": config }, row);
    expect(Object.keys(models)).toEqual(["a/base", "a/new", "b/alias"]);
    expect(models["a/new"]).toEqual({ ...row, config: fieldsRead(config) });
  });

  it("replaces the base of a row with the fields, and keeps its other parts", () => {
    const row = { source: "a copy of it", date: "2026-11-30" };
    const { models } = addModels(catalog, { "b/alias": config }, row);
    expect(models["b/alias"]).toEqual({ ...row, gated: true, config: fieldsRead(config) });
    expect(models["a/base"]).toEqual(catalog.models["a/base"]);
  });
});
