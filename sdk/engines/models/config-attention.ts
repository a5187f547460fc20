/** Attention of each layer, from the fields of a `config.json`. */

import { type Fields, fieldsOf } from "./config-fields.ts";
import type { Attention, GroupedAttention, Indexer } from "./model-facts.ts";

type Reader = (layer: number) => Attention;

export function attentionReader(text: Fields, type: string, hidden: number): Reader {
  const heads = text.number("num_attention_heads", "n_head");
  const ratios = text.list("compress_ratios");
  if (ratios !== undefined) return compressedReader(text, heads, ratios);
  if (text.find("kv_lora_rank") !== undefined) return latentReader(text, heads, hidden);
  return groupedReader(text, type, hidden, heads);
}

function latentReader(text: Fields, heads: number, hidden: number): Reader {
  const indexer = indexerOf(text);
  const latent: Attention = {
    ...{ kind: "latent", heads },
    queryRank: text.find("q_lora_rank") ?? 0,
    keyValueRank: text.number("kv_lora_rank"),
    plainSize: text.number("qk_nope_head_dim"),
    rotarySize: text.number("qk_rope_head_dim"),
    valueSize: text.find("v_head_dim") ?? hidden / heads,
    ...(indexer && { indexer }),
  };
  return () => latent;
}

function indexerOf(text: Fields): Indexer | undefined {
  const heads = text.find("index_n_heads");
  const headSize = text.find("index_head_dim");
  return heads === undefined || headSize === undefined ? undefined : { heads, headSize };
}

function compressedReader(text: Fields, heads: number, ratios: readonly unknown[]): Reader {
  const indexer = indexerOf(text);
  const shared = {
    kind: "compressed",
    heads,
    headSize: text.number("head_dim"),
    queryRank: text.number("q_lora_rank"),
    outputRank: text.number("o_lora_rank"),
    outputGroups: text.number("o_groups"),
    window: text.number("sliding_window"),
  } as const;
  const kinds = new Map<number, Attention>();
  return (at) => {
    const ratio = Number(ratios[at] ?? 0);
    const known = kinds.get(ratio);
    // The indexer selects from entries of few tokens; all entries of many tokens are read.
    const made = known ?? {
      ...shared,
      ratio,
      ...(indexer && ratio > 0 && ratio < 16 && { indexer }),
    };
    kinds.set(ratio, made);
    return made;
  };
}

function groupedReader(text: Fields, type: string, hidden: number, heads: number): Reader {
  const keyValueHeads =
    text.find("num_key_value_heads", "num_kv_heads", "multi_query_group_num") ?? heads;
  const valueSize = text.find("v_head_dim");
  const gate = text.flag("attn_output_gate") === true || type === "qwen3_next";
  const full: GroupedAttention = {
    ...{ kind: "grouped", heads, keyValueHeads },
    headSize: text.find("head_dim") ?? hidden / heads,
    ...(valueSize !== undefined && { valueSize }),
    ...(gate && { gate }),
    ...(hasBias(text, type) && { bias: true }),
  };
  const globalSize = text.find("global_head_dim");
  const everywhere: GroupedAttention = {
    ...full,
    ...(globalSize !== undefined && { headSize: globalSize }),
    keyValueHeads: text.find("num_global_key_value_heads") ?? keyValueHeads,
    ...(text.flag("attention_k_eq_v") === true && { sharedValues: true }),
  };
  const window = text.find("sliding_window", "attention_chunk_size");
  const isWindowed = windowTest(text, type);
  const positions = text.find("max_position_embeddings") ?? Number.POSITIVE_INFINITY;
  if (window === undefined || window === 0 || window >= positions || isWindowed === undefined)
    return () => everywhere;
  const swaValue = text.find("swa_v_head_dim");
  const windowed: GroupedAttention = {
    ...full,
    heads: text.find("swa_num_attention_heads") ?? heads,
    keyValueHeads: text.find("swa_num_key_value_heads") ?? keyValueHeads,
    headSize: text.find("swa_head_dim") ?? full.headSize,
    ...(swaValue !== undefined && { valueSize: swaValue }),
    window,
  };
  return (at) => (isWindowed(at) ? windowed : everywhere);
}

const hasBias = (text: Fields, type: string) =>
  text.flag("attention_bias") ??
  text.flag("qkv_bias") ??
  /^(qwen2|bert|roberta|xlm-roberta|gpt_oss)/.test(type);

/** Returns a predicate for layers with a window; undefined if all layers have full attention. */
function windowTest(text: Fields, type: string): ((layer: number) => boolean) | undefined {
  const types = text.list("layer_types");
  if (types !== undefined)
    return (at) => types[at] === "sliding_attention" || types[at] === "chunked_attention";
  const pattern = text.list("hybrid_layer_pattern");
  if (pattern !== undefined) return (at) => pattern[at] === 1;
  if (type.startsWith("llama4")) {
    const full = text.list("no_rope_layers");
    const step = text.find("no_rope_layer_interval") ?? 4;
    return (at) => (full && full.length > 0 ? full[at] === 1 : (at + 1) % step !== 0);
  }
  if (type === "gemma2") return (at) => at % 2 === 0;
  const every = text.find("sliding_window_pattern") ?? (type.startsWith("gemma3") ? 6 : undefined);
  if (every !== undefined) return (at) => (at + 1) % every !== 0;
  if (/^qwen/.test(type) || type === "kimi_linear") {
    if (text.flag("use_sliding_window") !== true) return undefined;
    const first = text.find("max_window_layers") ?? 0;
    return (at) => at >= first;
  }
  return type === "mistral" || type === "phi3" || type === "starcoder2" ? () => true : undefined;
}

/** Returns the fields of `linear_attn_config`; undefined if the model has no such fields. */
export const linearConfigOf = (text: Fields): Fields | undefined => {
  const config = text.object("linear_attn_config");
  return config === undefined ? undefined : fieldsOf(config);
};
