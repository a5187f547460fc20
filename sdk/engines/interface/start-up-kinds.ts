/** Kinds of faults that the arguments of an engine show before it loads a model. */

/** A kind of fault, as the documentation lists it. */
export interface StartUpKind {
  readonly title: string;
  /** The facts that decide. */
  readonly decides: string;
}

/** Every kind by name, in the order in which an engine would fail. Heads and blocks have a separate rule. */
export const startUpKinds = {
  token: {
    title: "Gated model without a token",
    decides: "the model's terms, and variables and volumes of the container",
  },
  "model-release": {
    title: "Model newer than the engine",
    decides: "the architecture and the version of the image",
  },
  "gpu-generation": {
    title: "GPU too old or too new for the engine",
    decides: "compute capability and the version of the image",
  },
  "data-type": {
    title: "Data type that the GPU or the model does not support",
    decides: "bfloat16 needs compute capability 8.0; some models refuse float16",
  },
  quantization: {
    title: "Quantization that the GPU does not support",
    decides: "compute capability by engine and version",
  },
  "named-quantization": {
    title: "Quantization that differs from the quantization of the checkpoint",
    decides: "`--quantization` compared with the model's `quantization_config`",
  },
  "kv-data-type": {
    title: "KV cache data type that the attention does not support",
    decides: "compute capability, sparse attention, engine and version",
  },
  "decode-context": {
    title: "Decode context parallelism with too few ranks",
    decides: "tensor parallel size compared with key-value heads",
  },
  experts: {
    title: "Experts that do not divide over the ranks",
    decides: "routed and redundant experts compared with the expert parallel size",
  },
  vocabulary: {
    title: "Vocabulary that does not divide over the ranks (SGLang)",
    decides: "vocabulary size, padded to a multiple of 64, compared with the tensor parallel size",
  },
  stages: {
    title: "Pipeline stages that the architecture does not support",
    decides: "layers, the architecture and the version of the image",
  },
  draft: {
    title: "Draft model that does not divide over the ranks",
    decides: "heads and quantization groups of the draft model",
  },
  "draft-stages": {
    title: "Draft model that does not divide into pipeline stages (vLLM)",
    decides: "the class of the draft model and the version of the image",
  },
  context: {
    title: "Context longer than the model supports",
    decides: "`max_position_embeddings` and position scaling",
  },
  "step-tokens": {
    title: "Too few tokens per step without chunked prefill",
    decides: "`--max-num-batched-tokens` compared with the context",
  },
  "adapter-rank": {
    title: "LoRA rank that the engine does not support",
    decides: "`--max-lora-rank` by the version of the image",
  },
  weights: {
    title: "Weights that do not fit into device memory",
    decides: "bytes of weights per device compared with the engine's share of device memory",
  },
  "context-memory": {
    title: "Context that does not fit into the KV cache (vLLM)",
    decides:
      "KV cache bytes per token, by kind of attention, compared with the memory left after the weights",
  },
  "host-memory": {
    title: "Offload that does not fit into host memory",
    decides: "offloaded bytes compared with the container's memory limit",
  },
  "loading-time": {
    title: "Probe that fails before the model is loaded",
    decides: "bytes of the model divided by the download rate of its source",
  },
} as const satisfies Readonly<Record<string, StartUpKind>>;

export type StartUpKindName = keyof typeof startUpKinds;

/** Kinds of faults that depend on the memory of a device alone. */
export const memoryKinds = ["weights", "context-memory"] as const satisfies StartUpKindName[];
