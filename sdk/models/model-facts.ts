/**
 * Sizes of the models that examples, pages and tests name, by their name on Hugging Face. They are the fields of each
 * model's own `config.json`: DeepSeek-R1, Qwen3 and Llama 3.1 as aiconfigurator-core 0.12.0 on PyPI ships them, Llama 2 as
 * aiconfigurator 0.6.0 does, Qwen3-4B and Qwen2.5-0.5B-Instruct as public copies of the repositories have them.
 */

/** Sizes of a model that decide how it divides over accelerators. */
export interface ModelFacts {
  /** `num_hidden_layers`. */
  readonly layers: number;
  /** `hidden_size`. */
  readonly hidden: number;
  /** `vocab_size`. */
  readonly vocabulary: number;
  /** `tie_word_embeddings`: whether input and output embeddings are one matrix. */
  readonly tied: boolean;
  /** `max_position_embeddings`, in tokens. */
  readonly context: number;
  readonly attention: GroupedAttention | LatentAttention;
  /** `intermediate_size` of the layers without experts; undefined if every layer has experts. */
  readonly dense?: number;
  /** Undefined for a dense model. */
  readonly experts?: Experts;
  readonly weights: Weights;
}

/** Attention whose query heads share key and value heads. */
export interface GroupedAttention {
  readonly kind: "grouped";
  /** `num_attention_heads`. */
  readonly heads: number;
  /** `num_key_value_heads`. */
  readonly keyValueHeads: number;
  /** `head_dim`, or hidden size divided by heads. */
  readonly headSize: number;
}

/** Multi-head latent attention of DeepSeek: every rank has the compressed keys and values. */
export interface LatentAttention {
  readonly kind: "latent";
  /** `num_attention_heads`. */
  readonly heads: number;
  /** `q_lora_rank`. */
  readonly queryRank: number;
  /** `kv_lora_rank`. */
  readonly keyValueRank: number;
  /** `qk_nope_head_dim`. */
  readonly plainSize: number;
  /** `qk_rope_head_dim`. */
  readonly rotarySize: number;
  /** `v_head_dim`. */
  readonly valueSize: number;
}

export interface Experts {
  /** `n_routed_experts` or `num_experts`. */
  readonly routed: number;
  /** `n_shared_experts`. */
  readonly shared: number;
  /** `moe_intermediate_size`. */
  readonly width: number;
  /** `first_k_dense_replace`: layers before the first with experts. */
  readonly denseLayers: number;
}

export interface Weights {
  /** Bytes of a weight of a linear layer. */
  readonly bytes: number;
  /** `quantization_config.weight_block_size`, the same for both dimensions. Undefined without blocks. */
  readonly block?: number;
}

const bfloat16: Weights = { bytes: 2 };

const grouped = (heads: number, keyValueHeads: number, headSize: number): GroupedAttention => ({
  kind: "grouped",
  heads,
  keyValueHeads,
  headSize,
});

const llama31: ModelFacts = {
  ...{ layers: 32, hidden: 4096, vocabulary: 128_256, tied: false, context: 131_072 },
  attention: grouped(32, 8, 128),
  dense: 14_336,
  weights: bfloat16,
};

const facts: Readonly<Record<string, ModelFacts>> = {
  "deepseek-ai/DeepSeek-R1": {
    ...{ layers: 61, hidden: 7168, vocabulary: 129_280, tied: false, context: 163_840 },
    attention: {
      kind: "latent",
      ...{ heads: 128, queryRank: 1536, keyValueRank: 512 },
      ...{ plainSize: 128, rotarySize: 64, valueSize: 128 },
    },
    dense: 18_432,
    experts: { routed: 256, shared: 1, width: 2048, denseLayers: 3 },
    weights: { bytes: 1, block: 128 },
  },
  "meta-llama/Llama-2-7b-hf": {
    ...{ layers: 32, hidden: 4096, vocabulary: 32_000, tied: false, context: 4096 },
    attention: grouped(32, 32, 128),
    dense: 11_008,
    weights: bfloat16,
  },
  "meta-llama/Llama-3.1-8B": llama31,
  "meta-llama/Llama-3.1-8B-Instruct": llama31,
  "Qwen/Qwen2.5-0.5B-Instruct": {
    ...{ layers: 24, hidden: 896, vocabulary: 151_936, tied: true, context: 32_768 },
    attention: grouped(14, 2, 64),
    dense: 4864,
    weights: bfloat16,
  },
  "Qwen/Qwen3-4B": {
    ...{ layers: 36, hidden: 2560, vocabulary: 151_936, tied: true, context: 40_960 },
    attention: grouped(32, 8, 128),
    dense: 9728,
    weights: bfloat16,
  },
  "Qwen/Qwen3-8B": {
    ...{ layers: 36, hidden: 4096, vocabulary: 151_936, tied: false, context: 40_960 },
    attention: grouped(32, 8, 128),
    dense: 12_288,
    weights: bfloat16,
  },
  "Qwen/Qwen3-32B": {
    ...{ layers: 64, hidden: 5120, vocabulary: 151_936, tied: false, context: 40_960 },
    attention: grouped(64, 8, 128),
    dense: 25_600,
    weights: bfloat16,
  },
  "Qwen/Qwen3-235B-A22B-FP8": {
    ...{ layers: 94, hidden: 4096, vocabulary: 151_936, tied: false, context: 40_960 },
    attention: grouped(64, 4, 128),
    experts: { routed: 128, shared: 0, width: 1536, denseLayers: 0 },
    weights: { bytes: 1, block: 128 },
  },
};

/** Returns the facts of a model by its name on Hugging Face; undefined for a model that is not in the table. */
export const modelFacts = (model: string): ModelFacts | undefined =>
  Object.hasOwn(facts, model) ? facts[model] : undefined;

/** Returns the parameters of a model, without its norms, biases and layers for speculative decoding. */
export function parametersOf(model: ModelFacts): number {
  const { layers, experts } = model;
  const withExperts = experts === undefined ? 0 : layers - experts.denseLayers;
  return (
    embeddingsOf(model) +
    layers * attentionOf(model) +
    (layers - withExperts) * feedForward(model, model.dense ?? 0) +
    withExperts * expertsOf(model)
  );
}

/** Returns the bytes of a model's weights; embeddings are never quantized. */
export const weightBytes = (model: ModelFacts): number =>
  (parametersOf(model) - embeddingsOf(model)) * model.weights.bytes + embeddingsOf(model) * 2;

const embeddingsOf = ({ vocabulary, hidden, tied }: ModelFacts) =>
  vocabulary * hidden * (tied ? 1 : 2);

function attentionOf({ hidden, attention }: ModelFacts): number {
  const { heads } = attention;
  if (attention.kind === "grouped")
    return 2 * hidden * attention.headSize * (heads + attention.keyValueHeads);
  const { queryRank, keyValueRank, plainSize, rotarySize, valueSize } = attention;
  return (
    hidden * (queryRank + keyValueRank + rotarySize) +
    queryRank * heads * (plainSize + rotarySize) +
    keyValueRank * heads * (plainSize + valueSize) +
    heads * valueSize * hidden
  );
}

/** Gate, up and down projection. */
const feedForward = ({ hidden }: ModelFacts, width: number) => 3 * hidden * width;

const expertsOf = (model: ModelFacts) =>
  model.experts === undefined
    ? 0
    : (model.experts.routed + model.experts.shared) * feedForward(model, model.experts.width) +
      model.experts.routed * model.hidden;
