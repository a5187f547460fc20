/** Reader of a Hugging Face `config.json`. */

import { type Config, type Fields, fieldsOf, isConfig, ModelConfigError } from "./config-fields.ts";
import { layersOf } from "./config-layers.ts";
import type { Attention, DataType, Experts, ModelFacts, ModelTask } from "./model-facts.ts";
import { type QuantizedPart, quantizationOf } from "./quantization.ts";
import { visionParameters } from "./vision.ts";

export { ModelConfigError } from "./config-fields.ts";

/** Fields that contain the configuration of the language model in multimodal models. */
const nestedNames = ["text_config", "llm_config", "language_config", "thinker_config"];

/** Fields that published files omit, with the defaults of transformers 4.57.1, by type. */
const defaults: Readonly<Record<string, Config>> = {
  gemma3_text: {
    ...{ vocab_size: 262_208, hidden_size: 2304, intermediate_size: 9216, num_hidden_layers: 26 },
    ...{ num_attention_heads: 8, num_key_value_heads: 4, head_dim: 256, sliding_window: 4096 },
    max_position_embeddings: 131_072,
  },
};

/** Types that vLLM refuses in float16 (`_FLOAT16_NOT_SUPPORTED_MODELS`): their activations overflow. */
const refusingFloat16 = new Set(["gemma2", "gemma3", "gemma3_text", "plamo2", "glm4"]);

/**
 * Returns the facts of a model from the parsed `config.json` of its repository.
 *
 * @throws ModelConfigError that names a missing field or a field of the wrong type
 */
export function modelFromConfig(config: unknown): ModelFacts {
  if (!isConfig(config))
    throw new ModelConfigError("config.json is not an object. Pass the parsed file.");
  const whole = fieldsOf(config);
  const text = languageModelOf(whole);
  const type = text.text("model_type") ?? whole.text("model_type") ?? "";
  const architecture = firstText(whole.list("architectures") ?? text.list("architectures")) ?? type;
  const hidden = text.number("hidden_size", "n_embd", "d_model");
  const stack = layersOf(text, type, hidden);
  const attention = stack
    .map(({ mixer }) => mixer)
    .find((mixer): mixer is Attention => mixer !== undefined && mixer.kind !== "linear");
  if (attention === undefined)
    throw new ModelConfigError(
      "config.json: no layer has attention. Models without attention are not supported.",
    );
  const experts = stack.find((layer) => layer.experts !== undefined)?.experts;
  const dense = stack.find((layer) => layer.dense !== undefined)?.dense?.width;
  const vocabulary = text.find("vocab_size", "padded_vocab_size") ?? whole.number("vocab_size");
  const encoder = isEncoder(type);
  const vision = visionParameters(whole, hidden);
  const quantizedBy = whole.object("quantization_config") === undefined ? text : whole;
  return {
    ...{ architecture, type, hidden, vocabulary, attention, stack, encoder },
    task: taskOf(architecture, encoder),
    layers: stack.length,
    tied:
      hasNoHead(architecture) ||
      (whole.flag("tie_word_embeddings") ?? text.flag("tie_word_embeddings") ?? tiedByType(type)),
    context: contextOf(text),
    ...(dense !== undefined && { dense }),
    ...(experts !== undefined && { experts }),
    weights: weightsOf(whole, text, quantizedBy, { layers: stack.length, experts }),
    draftLayers: text.find("num_nextn_predict_layers", "mtp_num_hidden_layers") ?? 0,
    ...(vision !== undefined && { vision }),
    others: othersOf(text, type, architecture, hidden),
    refusesFloat16: refusingFloat16.has(type),
    gated: false,
  };
}

function languageModelOf(whole: Fields): Fields {
  for (const name of nestedNames) {
    const nested = whole.object(name);
    if (nested === undefined) continue;
    const inner = fieldsOf(nested, defaults[fieldsOf(nested).text("model_type") ?? ""]);
    return inner.find("hidden_size") === undefined ? languageModelOf(inner) : inner;
  }
  return whole;
}

const isEncoder = (type: string) =>
  /^(bert|roberta|xlm-roberta|nomic_bert|modernbert|new|distilbert|mpnet)$/.test(type);

function taskOf(architecture: string, encoder: boolean): ModelTask {
  if (/ForSequenceClassification$|ForRewardModel$/.test(architecture)) return "rerank";
  return encoder || (/Model$/.test(architecture) && !/LMHeadModel$/.test(architecture))
    ? "embed"
    : "generate";
}

/** Reports whether a model returns embeddings or a score, in which case its checkpoint has no output matrix. */
const hasNoHead = (architecture: string) =>
  /Model$|ForSequenceClassification$/.test(architecture) && !/LMHeadModel$/.test(architecture);

/** Types whose configuration classes tie embeddings unless the file has another value. */
const tiedByType = (type: string) =>
  /^(gemma|cohere|qwen2_vl_text$|bert$|roberta$|xlm-roberta$|phi3small$)/.test(type);

/** Returns the longest context as vLLM derives it from positions and their scaling. */
function contextOf(text: Fields): number {
  const positions = text.find(
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
  );
  const scaling = text.object("rope_scaling") ?? text.object("rope_parameters");
  // vLLM ignores the scaling of Gemma 3, whose positions are already scaled.
  if (scaling === undefined || text.text("model_type")?.startsWith("gemma3"))
    return positions ?? text.number("max_position_embeddings");
  const rope = fieldsOf(scaling);
  const type = rope.text("rope_type", "type") ?? "default";
  const factor = rope.find("factor") ?? 1;
  if (type === "yarn")
    return (
      factor *
      (rope.find("original_max_position_embeddings") ?? text.number("max_position_embeddings"))
    );
  const scaled = type === "linear" || type === "dynamic" || type === "ntk";
  return (
    (positions ?? text.number("max_position_embeddings")) *
    (scaled && rope.find("original_max_position_embeddings") === undefined ? factor : 1)
  );
}

function weightsOf(
  whole: Fields,
  text: Fields,
  quantizedBy: Fields,
  { layers, experts }: { layers: number; experts: Experts | undefined },
): ModelFacts["weights"] {
  const quantized = quantizationOf(quantizedBy, layers);
  const part: QuantizedPart = experts === undefined ? "dense" : "experts";
  const main = quantized[part] ?? quantized.dense ?? quantized.attention;
  // The shared expert may have blocks although routed experts have 4 bits.
  const block = main?.block ?? (experts?.shared ? quantized.shared?.block : undefined);
  return {
    dataType: dataTypeOf(text) ?? dataTypeOf(whole) ?? "bfloat16",
    bytes: main === undefined ? 2 : main.bits / 8,
    ...(block !== undefined && { block }),
    quantized,
  };
}

function dataTypeOf(fields: Fields): DataType | undefined {
  const name = fields.text("torch_dtype", "dtype")?.replace(/^torch\./, "");
  return name === "bfloat16" || name === "float16" || name === "float32" ? name : undefined;
}

/** Parameters outside the layers, which are implied by configurations of encoders and classifiers. */
function othersOf(text: Fields, type: string, architecture: string, hidden: number): number {
  if (!isEncoder(type)) return 0;
  const positions =
    (text.find("max_position_embeddings") ?? 0) + (text.find("type_vocab_size") ?? 0);
  const head = architecture.endsWith("ForSequenceClassification") || architecture.endsWith("Model");
  return positions * hidden + (head ? hidden * hidden : 0);
}

const firstText = (list: readonly unknown[] | undefined) =>
  list?.find((each): each is string => typeof each === "string");
