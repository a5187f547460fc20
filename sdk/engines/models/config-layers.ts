/** Layers of a model, from the fields of its `config.json`. */

import { attentionReader } from "./config-attention.ts";
import { type Fields, fieldsOf, isConfig, ModelConfigError } from "./config-fields.ts";
import { linearReader } from "./config-linear.ts";
import type { Dense, Experts, Layer } from "./model-facts.ts";

/** Returns every layer, first to last. */
export function layersOf(text: Fields, type: string, hidden: number): Layer[] {
  const pattern = text.text("hybrid_override_pattern");
  if (pattern !== undefined) return hybridLayers(text, pattern, type, hidden);
  const blocks = text.list("layers_block_type");
  if (type === "nemotron_h" && blocks !== undefined)
    return hybridLayers(text, blocks.map(symbolOf).join(""), type, hidden);
  const count = text.number("num_hidden_layers", "n_layer", "num_layers");
  const perLayer = text.list("block_configs");
  if (perLayer !== undefined) return searchedLayers(text, perLayer, type, hidden);
  const attention = attentionReader(text, type, hidden);
  const linear = linearReader(text, type, hidden);
  const experts = expertsOf(text, type, hidden);
  const hasExperts = expertLayersOf(text, type, count, experts);
  const dense = denseOf(text, type);
  return Array.from({ length: count }, (_, at) => {
    const mixer = linear(at) ?? attention(at);
    if (experts !== undefined && hasExperts(at))
      return { mixer, experts, ...(hasBoth(text) && dense && { dense }) };
    if (dense === undefined) {
      text.number("intermediate_size");
      return { mixer };
    }
    return { mixer, dense };
  });
}

/** Whether a layer has a dense part in addition to its experts, as in Gemma 4. */
const hasBoth = (text: Fields) => text.flag("enable_moe_block") === true;

function denseOf(text: Fields, type: string): Dense | undefined {
  const width =
    type === "llama4_text"
      ? text.find("intermediate_size_mlp")
      : (text.find("dense_intermediate_size") ??
        text.find("intermediate_size", "n_inner", "ffn_hidden_size"));
  return width === undefined ? undefined : { width, matrices: matricesOf(text, type) };
}

/** Feed-forward layers whose activation has one argument have no gate. */
function matricesOf(text: Fields, type: string): 2 | 3 {
  if (/^(bert|roberta|xlm-roberta|nemotron_h|starcoder2|phi|gpt2|gpt_neox|falcon)$/.test(type))
    return 2;
  return text.text("mlp_hidden_act", "hidden_act") === "relu2" ? 2 : 3;
}

function expertsOf(text: Fields, type: string, hidden: number): Experts | undefined {
  const routed =
    text.find("n_routed_experts") ??
    text.find("num_local_experts", "num_experts", "moe_num_experts");
  if (routed === undefined || routed <= 1) return undefined;
  const width = text.find("moe_intermediate_size") ?? text.number("intermediate_size");
  const inputs = text.find("routed_expert_hidden_size", "moe_latent_size");
  return {
    routed,
    shared: sharedWidth(text, type, width) / width,
    width,
    active:
      text.find(
        "num_experts_per_tok",
        "num_experts_per_token",
        "experts_per_token",
        "top_k_experts",
      ) ?? 1,
    matrices: matricesOf(text, type),
    ...(inputs !== undefined && inputs !== hidden && { inputs }),
  };
}

/** Returns the columns of all shared experts together. */
function sharedWidth(text: Fields, type: string, width: number): number {
  const total = text.find(
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "share_expert_dim",
  );
  if (total !== undefined) return total;
  const count =
    text.find("n_shared_experts", "num_shared_experts", "moe_num_shared_experts") ??
    (type === "llama4_text" ? 1 : 0);
  return count * (text.find("shared_intermediate_size") ?? width);
}

/** Returns a predicate for layers with experts. */
function expertLayersOf(
  text: Fields,
  type: string,
  count: number,
  experts: Experts | undefined,
): (layer: number) => boolean {
  if (experts === undefined) return () => false;
  const flags = text.list("moe_layer_freq");
  if (flags !== undefined) return (at) => Number(flags[at]) > 0;
  const named = text.text("moe_layers_enum");
  if (named !== undefined) {
    const layers = new Set(named.split(",").map(Number));
    return (at) => layers.has(at);
  }
  const dense = new Set(text.list("mlp_only_layers")?.map(Number));
  const step =
    text.find("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval") ??
    text.find("moe_layer_freq") ??
    1;
  const first = text.find("first_k_dense_replace", "moe_layer_start_index") ?? 0;
  return (at) =>
    at < count &&
    at >= first &&
    !dense.has(at) &&
    (step <= 1 || (at + 1 - (type.startsWith("deepseek") ? first : 0)) % step === 0);
}

const symbolOf = (block: unknown) =>
  ({ mamba: "M", attention: "*", moe: "E", mlp: "-" })[String(block)] ?? "?";

/** Layers of Nemotron-H: each is a state space layer, attention, experts or feed-forward. */
function hybridLayers(text: Fields, pattern: string, type: string, hidden: number): Layer[] {
  const attention = attentionReader(text, type, hidden);
  const linear = linearReader(text, type, hidden);
  const experts = expertsOf(text, type, hidden);
  const dense = denseOf(text, type);
  return [...pattern].map((symbol, at) => {
    const mixer = symbol === "M" ? linear(at) : symbol === "*" ? attention(at) : undefined;
    if (mixer !== undefined) return { mixer };
    if (symbol === "E" && experts !== undefined) return { experts };
    if (symbol === "-" && dense !== undefined) return { dense };
    throw new ModelConfigError(
      `config.json: layer ${at} is ${JSON.stringify(symbol)}; allowed: M, *, E or -, if config.json contains the sizes of that layer type.`,
    );
  });
}

/** Layers of models from an architecture search, as in Llama-Nemotron: each has its own heads and width. */
function searchedLayers(
  text: Fields,
  blocks: readonly unknown[],
  type: string,
  hidden: number,
): Layer[] {
  const heads = text.number("num_attention_heads");
  return blocks.map((block) => {
    const { object } = fieldsOf(isConfig(block) ? block : {});
    const attention = fieldsOf(object("attention") ?? {});
    const feedForward = fieldsOf(object("ffn") ?? {});
    const group = attention.find("n_heads_in_group");
    const multiple = feedForward.find("ffn_mult");
    return {
      ...(group !== undefined && {
        mixer: {
          kind: "grouped",
          ...{ heads, keyValueHeads: heads / group, headSize: hidden / heads },
        },
      }),
      ...(multiple !== undefined && {
        dense: {
          width: roundUp((2 * multiple * hidden) / 3, 256),
          matrices: matricesOf(text, type),
        },
      }),
    };
  });
}

const roundUp = (value: number, step: number) => Math.ceil(Math.trunc(value) / step) * step;
