import { z } from "zod";
import { quantityPattern } from "../../kubernetes/kinds/field-types.ts";
import { named, words } from "./argument.ts";
import { LastingVolume } from "./lasting-volume.ts";
import { text } from "./resources.ts";

export const EngineKind = words("EngineKind", "The program that runs a model.", {
  Vllm: ["vllm", "vLLM."],
  Sglang: ["sglang", "SGLang."],
  TensorRtLlm: ["tensorrt-llm", "TensorRT-LLM."],
});

const size = z.int().min(1).max(65_536);
const quantity = z.string().regex(new RegExp(quantityPattern), "a quantity, such as 200Gi");

const Adapter = named(
  "Adapter",
  z.strictObject({
    name: z.string().min(1).describe("Name by which requests ask for the adapter."),
    source: z
      .string()
      .min(1)
      .describe("Repository on Hugging Face, or a path that the engine's container has."),
  }),
).describe("A LoRA adapter.");

const Lora = named(
  "Lora",
  z.strictObject({
    adapters: z
      .array(Adapter)
      .default([])
      .describe("Adapters that are loaded with the model. Default: none."),
    maxRank: size.default(16).describe("Largest rank of the adapters."),
    maxLoaded: size
      .optional()
      .describe("Most adapters in one batch. Default: the number of listed adapters, at least 1."),
    dynamic: z
      .boolean()
      .default(false)
      .describe("Whether administrators may load further adapters at run time."),
    directory: z
      .string()
      .startsWith("/")
      .optional()
      .describe(
        "Directory of the engine's container in which vLLM finds an adapter that a request names. It makes adapters dynamic. Default: none.",
      ),
  }),
).describe("LoRA adapters of a model.");

const KvOffload = named(
  "KvOffload",
  z.strictObject({
    cpu: quantity.describe(
      "Host memory of one replica for KV blocks that leave the accelerators, such as 200Gi.",
    ),
    disk: LastingVolume.optional().describe(
      "Volume for KV blocks that leave host memory. The engine deletes none of its files, so bound the volume and clean it up. Default: none.",
    ),
  }),
).describe("KV blocks that are kept outside of the accelerators' memory.");

const SpeculationMethod = words("SpeculationMethod", "Source of the guessed tokens.", {
  Mtp: ["mtp", "The model's multi-token prediction layers."],
  Eagle3: ["eagle3", "A draft model."],
  Ngram: ["ngram", "Repetitions of the prompt."],
});

const DataType = words("DataType", "Data type of a model that computes in 16 bits or more.", {
  Auto: ["auto", "The data type of the model."],
  Bfloat16: ["bfloat16", "bfloat16."],
  Float16: ["float16", "float16."],
  Float32: ["float32", "float32."],
});

const Quantization = words("Quantization", "Quantization of a model in 16 bits while it loads.", {
  Auto: ["auto", "None: the weights stay as the checkpoint has them."],
  Fp8: ["fp8", "FP8, with scales that the engine computes."],
});

const KvCacheDataType = words("KvCacheDataType", "Data type of the KV cache.", {
  Auto: ["auto", "The type in which the model computes."],
  Fp8: ["fp8", "FP8, which halves the cache."],
});

const Speculation = named(
  "Speculation",
  z.strictObject({
    method: SpeculationMethod.describe("Source of the guessed tokens."),
    tokens: z.int().min(1).max(16).describe("Tokens that are guessed in one step."),
    model: z
      .string()
      .min(1)
      .optional()
      .describe("Draft model on Hugging Face, which eagle3 needs. Default: none."),
  }),
).describe("Speculative decoding.");

export const EngineSettings = named(
  "EngineSettings",
  z.strictObject({
    name: EngineKind.describe("The engine."),
    version: z
      .string()
      .regex(/^\d+\.\d+\.\d+(\.?(rc|post)\d+)?$/, "a version, such as 0.32.0")
      .optional()
      .describe("Version of the engine. Default: the newest that this library was tested with."),
    image: text
      .optional()
      .describe("Image of the engine. Default: the engine's image for the accelerator."),
    maxModelLen: z
      .int()
      .min(1)
      .max(2 ** 30)
      .optional()
      .describe(
        "Longest context in tokens. Default: the model's own, or as much of it as fits on the chosen devices.",
      ),
    maxNumSeqs: size
      .optional()
      .describe("Most requests that run at the same time. Default: the engine's."),
    memoryFraction: z
      .number()
      .min(0.1)
      .max(0.99)
      .optional()
      .describe(
        "Share of a device's memory for weights and KV cache. Default: 0.9; for SGLang the share that it chooses itself.",
      ),
    tensorParallel: size
      .optional()
      .describe(
        "Devices that share each layer. Default: the fewest of a node that hold the model and one request of `maxModelLen`, or of 16,384 tokens without it.",
      ),
    pipelineParallel: size
      .optional()
      .describe("Groups of devices that share the layers. Default: one for each node."),
    dataParallel: size
      .default(1)
      .describe("Copies of the attention layers of one engine, each on its own devices."),
    expertParallel: z
      .boolean()
      .optional()
      .describe(
        "Whether each expert stays whole on one device. Default: if the experts cannot be divided.",
      ),
    dtype: DataType.default("auto").describe(
      "Data type of weights that are not quantized. auto is the model's own.",
    ),
    quantization: Quantization.default("auto").describe(
      "Quantization of a model in 16 bits while it loads.",
    ),
    kvCacheDtype: KvCacheDataType.default("auto").describe(
      "Data type of the KV cache. auto is that of the weights' computation.",
    ),
    lora: Lora.optional().describe("LoRA adapters. Default: none."),
    kvOffload: KvOffload.optional().describe(
      "KV blocks in host memory and on disk. Not for prefillers and decoders. Default: none.",
    ),
    speculative: Speculation.optional().describe("Speculative decoding. Default: none."),
    args: z
      .array(z.string())
      .default([])
      .describe("Further arguments of the engine, behind the planned ones, which they override."),
    env: z.record(z.string(), text).default({}).describe("Environment variables of the engine."),
  }),
).describe("An engine and its settings. Every setting becomes the engine's own flag.");

export type EngineSettings = z.infer<typeof EngineSettings>;
export type EngineSettingsInput = z.input<typeof EngineSettings>;
