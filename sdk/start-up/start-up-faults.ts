/** All kinds of start-up faults that the arguments of an engine show before it loads a model. */

import {
  dataType,
  gpuGeneration,
  keyValueDataType,
  modelRelease,
  namedQuantization,
  quantization,
} from "./capability-faults.ts";
import { adapterRank, modelContext, stepTokens } from "./context-faults.ts";
import {
  decodeContext,
  draftDivision,
  draftStages,
  expertRanks,
  stages,
  vocabularyRanks,
} from "./division-faults.ts";
import { contextMemory, hostMemory, weightMemory } from "./memory-faults.ts";
import { loadingTime, modelToken } from "./pod-faults.ts";
import { judged, type StartUp, type StartUpCheck, type StartUpFault } from "./start-up.ts";

/** A kind of fault, as the documentation lists it. */
export interface StartUpKind {
  readonly title: string;
  /** The facts that decide. */
  readonly decides: string;
  readonly check: StartUpCheck;
}

/** Every kind by name, in the order in which an engine would fail. Heads and blocks have a separate rule. */
export const startUpKinds = {
  token: {
    title: "Gated model without a token",
    decides: "the model's terms, and variables and volumes of the container",
    check: modelToken,
  },
  "model-release": {
    title: "Model newer than the engine",
    decides: "the architecture and the version of the image",
    check: modelRelease,
  },
  "gpu-generation": {
    title: "GPU too old or too new for the engine",
    decides: "compute capability and the version of the image",
    check: gpuGeneration,
  },
  "data-type": {
    title: "Data type that the GPU or the model does not support",
    decides: "bfloat16 needs compute capability 8.0; some models refuse float16",
    check: dataType,
  },
  quantization: {
    title: "Quantization that the GPU does not support",
    decides: "compute capability by engine and version",
    check: quantization,
  },
  "named-quantization": {
    title: "Quantization that differs from the checkpoint's",
    decides: "`--quantization` compared with the model's `quantization_config`",
    check: namedQuantization,
  },
  "kv-data-type": {
    title: "KV cache data type that the attention does not support",
    decides: "compute capability, sparse attention, engine and version",
    check: keyValueDataType,
  },
  "decode-context": {
    title: "Decode context parallelism with too few ranks",
    decides: "tensor parallel size compared with key-value heads",
    check: decodeContext,
  },
  experts: {
    title: "Experts that do not divide over the ranks",
    decides: "routed and redundant experts compared with the expert parallel size",
    check: expertRanks,
  },
  vocabulary: {
    title: "Vocabulary that does not divide over the ranks (SGLang)",
    decides: "vocabulary size, padded to a multiple of 64, compared with the tensor parallel size",
    check: vocabularyRanks,
  },
  stages: {
    title: "Pipeline stages that the architecture does not support",
    decides: "layers, the architecture and the version of the image",
    check: stages,
  },
  draft: {
    title: "Draft model that does not divide over the ranks",
    decides: "heads and quantization groups of the draft model",
    check: draftDivision,
  },
  "draft-stages": {
    title: "Draft model that does not divide into pipeline stages (vLLM)",
    decides: "the class of the draft model and the version of the image",
    check: draftStages,
  },
  context: {
    title: "Context longer than the model supports",
    decides: "`max_position_embeddings` and position scaling",
    check: modelContext,
  },
  "step-tokens": {
    title: "Too few tokens per step without chunked prefill",
    decides: "`--max-num-batched-tokens` compared with the context",
    check: stepTokens,
  },
  "adapter-rank": {
    title: "LoRA rank that the engine does not support",
    decides: "`--max-lora-rank` by the version of the image",
    check: adapterRank,
  },
  weights: {
    title: "Weights that do not fit into device memory",
    decides: "bytes of weights per device compared with the engine's share of device memory",
    check: weightMemory,
  },
  "context-memory": {
    title: "Context that does not fit into the KV cache (vLLM)",
    decides:
      "KV cache bytes per token, by kind of attention, compared with the memory left after the weights",
    check: contextMemory,
  },
  "host-memory": {
    title: "Offload that does not fit into host memory",
    decides: "offloaded bytes compared with the container's memory limit",
    check: hostMemory,
  },
  "loading-time": {
    title: "Probe that fails before the model is loaded",
    decides: "bytes of the model divided by the download rate of its source",
    check: loadingTime,
  },
} as const satisfies Readonly<Record<string, StartUpKind>>;

type StartUpKindName = keyof typeof startUpKinds;

/** Kinds of faults that depend on the memory of a device alone. */
export const memoryKinds = ["weights", "context-memory"] as const satisfies StartUpKindName[];

/** Returns the known reasons of some kinds why an engine will not start. Unknown options are not checked. */
export function* startUpFaults(
  startUp: StartUp,
  kinds: readonly StartUpKindName[] = Object.keys(startUpKinds) as StartUpKindName[],
): Iterable<StartUpFault> {
  if (startUp.args.isOpen) return;
  for (const kind of kinds) yield* judged(kind, startUpKinds[kind].check, startUp);
}
