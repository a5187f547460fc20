/** Facts of a model that decide how much memory it needs and how it divides over accelerators. */

import { catalog, type ModelTask } from "./catalog.ts";
import { modelFromConfig } from "./config.ts";
import type { Quantization, QuantizedPart } from "./quantization.ts";

export type { ModelTask } from "./catalog.ts";
export { parametersOf, weightBytes } from "./parameters.ts";

/** Facts of a model. The comment of each fact names the fields of `config.json` that it is read from. */
export interface ModelFacts {
  /** First of `architectures`, by which engines select their code. */
  readonly architecture: string;
  /** `model_type`. */
  readonly type: string;
  readonly task: ModelTask;
  /** `num_hidden_layers`. */
  readonly layers: number;
  /** `hidden_size`. */
  readonly hidden: number;
  /** `vocab_size`. */
  readonly vocabulary: number;
  /** `tie_word_embeddings`: whether input and output embeddings are one matrix. */
  readonly tied: boolean;
  /** Longest context in tokens, which engines derive from `max_position_embeddings` and `rope_scaling`. */
  readonly context: number;
  /** Attention of the first layer with attention. */
  readonly attention: Attention;
  /** `intermediate_size` of the layers without experts; undefined if every layer has experts. */
  readonly dense?: number;
  /** Undefined for a dense model. */
  readonly experts?: Experts;
  readonly weights: Weights;
  /** Every layer, first to last. */
  readonly stack: readonly Layer[];
  /** `num_nextn_predict_layers`: layers for speculative decoding in the checkpoint. */
  readonly draftLayers: number;
  /** Parameters of the vision tower; undefined for a model without vision. */
  readonly vision?: number;
  /** Parameters besides layers and token embeddings: learned positions, a head for ranking. */
  readonly others: number;
  /** Whether attention reads the whole input at one time, so that no keys and values are kept. */
  readonly encoder: boolean;
  /** Whether engines refuse `float16` for this type of model. */
  readonly refusesFloat16: boolean;
  /** Whether a download needs a Hugging Face token. False for a `config.json`, which does not contain this. */
  readonly gated: boolean;
}

export type Attention = GroupedAttention | LatentAttention | CompressedAttention;

/** Attention whose query heads share key and value heads. */
export interface GroupedAttention {
  readonly kind: "grouped";
  /** `num_attention_heads`. */
  readonly heads: number;
  /** `num_key_value_heads`. */
  readonly keyValueHeads: number;
  /** `head_dim`, or hidden size divided by heads. */
  readonly headSize: number;
  /** `v_head_dim`, if it differs from the head size. */
  readonly valueSize?: number;
  /** `sliding_window`: number of tokens that the layer keeps. Undefined for full attention. */
  readonly window?: number;
  /** `attn_output_gate`: whether the query projection has twice the columns. */
  readonly gate?: boolean;
  /** `attention_k_eq_v`: whether keys and values are the same, with one projection. */
  readonly sharedValues?: boolean;
  /** `attention_bias`, or the bias of queries, keys and values that the type of model implies. */
  readonly bias?: boolean;
}

/** Multi-head latent attention of DeepSeek: every rank has the compressed keys and values. */
export interface LatentAttention {
  readonly kind: "latent";
  /** `num_attention_heads`. */
  readonly heads: number;
  /** `q_lora_rank`; 0 if queries are not compressed. */
  readonly queryRank: number;
  /** `kv_lora_rank`. */
  readonly keyValueRank: number;
  /** `qk_nope_head_dim`. */
  readonly plainSize: number;
  /** `qk_rope_head_dim`. */
  readonly rotarySize: number;
  /** `v_head_dim`. */
  readonly valueSize: number;
  /** Indexer that selects tokens for sparse attention, in DeepSeek V3.2 and GLM 5. */
  readonly indexer?: Indexer;
}

/** `index_n_heads` and `index_head_dim`. */
export interface Indexer {
  readonly heads: number;
  readonly headSize: number;
}

/** Attention of DeepSeek V4: one entry for several tokens, and a window of uncompressed tokens. */
export interface CompressedAttention {
  readonly kind: "compressed";
  /** `num_attention_heads`. */
  readonly heads: number;
  /** `head_dim`. */
  readonly headSize: number;
  /** `q_lora_rank`. */
  readonly queryRank: number;
  /** `o_lora_rank`. */
  readonly outputRank: number;
  /** `o_groups`. */
  readonly outputGroups: number;
  /** `sliding_window`: uncompressed tokens. */
  readonly window: number;
  /** Entry of `compress_ratios` for this layer: tokens per entry, or 0 for only a window. */
  readonly ratio: number;
  readonly indexer?: Indexer;
}

/** Linear attention or a state space layer, which keeps a state of fixed size for each sequence. */
export interface LinearAttention {
  readonly kind: "linear";
  /** Heads of values, which are divided by tensor parallelism. */
  readonly heads: number;
  readonly parameters: number;
  /** Bytes that one sequence keeps. */
  readonly stateBytes: number;
}

/** Layer of a model. */
export interface Layer {
  /** Undefined for a feed-forward layer without attention, as in Nemotron-H. */
  readonly mixer?: Attention | LinearAttention;
  readonly dense?: Dense;
  readonly experts?: Experts;
}

export interface Dense {
  /** `intermediate_size`. */
  readonly width: number;
  /** 3 with a gate projection, otherwise 2. */
  readonly matrices: 2 | 3;
}

export interface Experts {
  /** `n_routed_experts` or `num_experts`. */
  readonly routed: number;
  /** `n_shared_experts`, or the shared width divided by the width of an expert. */
  readonly shared: number;
  /** `moe_intermediate_size`. */
  readonly width: number;
  /** `num_experts_per_tok`. */
  readonly active: number;
  /** 3 with a gate projection, otherwise 2. */
  readonly matrices: 2 | 3;
  /** Columns that an expert reads, if fewer than the hidden size. */
  readonly inputs?: number;
}

export type DataType = "bfloat16" | "float16" | "float32";

export interface Weights {
  /** Data type of weights that are not quantized, `torch_dtype` or `dtype`. */
  readonly dataType: DataType;
  /** Bytes of a weight of a linear layer, without scales. */
  readonly bytes: number;
  /** `quantization_config.weight_block_size`, the same for both dimensions. Undefined without blocks. */
  readonly block?: number;
  /** Quantization of each part. Parts that are not in the record have the data type. */
  readonly quantized: Readonly<Partial<Record<QuantizedPart, Quantization>>>;
}

const read = new Map<string, ModelFacts>();

/** Returns the facts of a model by its name on Hugging Face; undefined for a model that is not in the catalog. */
export function modelFacts(model: string): ModelFacts | undefined {
  const entry = catalog.get(model);
  if (entry === undefined) return undefined;
  const known = read.get(model);
  if (known !== undefined) return known;
  const { task, gated = false } = entry;
  const facts = { ...modelFromConfig(entry.config), gated, ...(task && { task }) };
  read.set(model, facts);
  return facts;
}

/** Returns the names of all models of the catalog, sorted. */
export const knownModels = (): string[] => [...catalog.keys()].sort();
