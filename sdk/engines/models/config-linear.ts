/** Linear attention and state space layers, from the fields of a `config.json`. */

import { linearConfigOf } from "./config-attention.ts";
import type { Fields } from "./config-fields.ts";
import type { LinearAttention } from "./model-facts.ts";

type Reader = (layer: number) => LinearAttention | undefined;

/** Returns a reader of the layers that keep a state instead of keys and values. */
export function linearReader(text: Fields, type: string, hidden: number): Reader {
  if (text.find("mamba_num_heads") !== undefined) {
    const mamba = stateSpace(text, hidden);
    return () => mamba;
  }
  const delta = linearConfigOf(text);
  if (delta !== undefined) {
    const full = new Set(delta.list("full_attn_layers")?.map(Number));
    const layer = kimiDelta(delta, hidden);
    // The lists count layers from 1.
    return (at) => (full.has(at + 1) ? undefined : layer);
  }
  if (text.find("linear_num_value_heads") === undefined) return () => undefined;
  const layer = gatedDelta(text, hidden);
  const types = text.list("layer_types");
  if (types !== undefined) return (at) => (types[at] === "linear_attention" ? layer : undefined);
  const every = text.find("full_attention_interval") ?? (type === "qwen3_next" ? 4 : undefined);
  return (at) => (every !== undefined && (at + 1) % every === 0 ? undefined : layer);
}

/** Gated DeltaNet of Qwen3-Next and Qwen 3.5. */
function gatedDelta(text: Fields, hidden: number): LinearAttention {
  const keys = text.number("linear_num_key_heads") * text.number("linear_key_head_dim");
  const heads = text.number("linear_num_value_heads");
  const values = heads * text.number("linear_value_head_dim");
  const kernel = text.number("linear_conv_kernel_dim");
  const channels = 2 * keys + values;
  return {
    ...{ kind: "linear", heads },
    parameters: hidden * (channels + values + 2 * heads) + channels * kernel + values * hidden,
    stateBytes:
      channels * (kernel - 1) * 2 +
      values * text.number("linear_key_head_dim") * stateWidth(text.text("mamba_ssm_dtype")),
  };
}

/** Kimi Delta Attention. */
function kimiDelta(config: Fields, hidden: number): LinearAttention {
  const heads = config.number("num_heads");
  const size = config.number("head_dim");
  const kernel = config.number("short_conv_kernel_size");
  const width = heads * size;
  const gate =
    config.flag("use_full_rank_gate") === true ? hidden * width : (hidden + width) * size;
  return {
    ...{ kind: "linear", heads },
    parameters:
      4 * hidden * width + 3 * width * kernel + (hidden + width) * size + hidden * heads + gate,
    stateBytes: 3 * width * (kernel - 1) * 2 + width * size * 4,
  };
}

/** Mamba 2. */
function stateSpace(text: Fields, hidden: number): LinearAttention {
  const heads = text.number("mamba_num_heads");
  const inner = heads * text.number("mamba_head_dim");
  const state = text.number("ssm_state_size", "mamba_d_state");
  const kernel = text.number("conv_kernel", "mamba_d_conv");
  const channels = inner + 2 * text.number("n_groups", "mamba_n_groups") * state;
  return {
    ...{ kind: "linear", heads },
    parameters: hidden * (inner + channels + heads) + channels * kernel + inner * hidden,
    stateBytes:
      channels * (kernel - 1) * 2 + inner * state * stateWidth(text.text("mamba_ssm_cache_dtype")),
  };
}

const stateWidth = (dataType: string | undefined) => (dataType === "float32" ? 4 : 2);
