import { z } from "zod";
import {
  nonEmptyText,
  positiveInteger,
  quantityPattern,
} from "../../../kubernetes/kinds/field-types.ts";
import { named, offByDefault, words } from "../../schemas/argument.ts";
import { LastingVolume } from "../../schemas/lasting-volume.ts";
import { text } from "../../schemas/resources.ts";

export const EngineKind = words("EngineKind", "Program that serves a model.", {
  Vllm: ["vllm", "vLLM."],
  Sglang: ["sglang", "SGLang."],
  TensorRtLlm: ["tensorrt-llm", "TensorRT-LLM."],
});

const size = positiveInteger.max(65_536);
const quantity = z.string().regex(new RegExp(quantityPattern), "a quantity, such as 200Gi");

const Adapter = named(
  "Adapter",
  z.strictObject({
    name: nonEmptyText.describe("Model name under which requests select the adapter."),
    source: nonEmptyText.describe(
      "Repository on Hugging Face, or a path in the engine's container.",
    ),
  }),
).describe("LoRA adapter.");

const Lora = named(
  "Lora",
  z.strictObject({
    adapters: z
      .array(Adapter)
      .default([])
      .describe("Adapters that the engine loads with the model. Default: none."),
    maxRank: size.default(16).describe("Maximum rank of an adapter."),
    maxLoaded: size
      .optional()
      .describe(
        "Maximum number of adapters in one batch. Default: the number of listed adapters, at least 1.",
      ),
    dynamic: offByDefault("Whether administrators may load further adapters at run time."),
    directory: z
      .string()
      .startsWith("/")
      .optional()
      .describe(
        "Directory in the engine's container from which vLLM loads an adapter that a request names. Setting it makes adapters dynamic. Default: none.",
      ),
  }),
).describe("LoRA adapters of a model.");

const KvOffload = named(
  "KvOffload",
  z.strictObject({
    cpu: quantity.describe(
      "Host memory per replica for KV blocks evicted from the accelerators, such as 200Gi.",
    ),
    disk: LastingVolume.optional().describe(
      "Volume for KV blocks evicted from host memory. The engine never deletes its files: limit the volume's size and clean it up. Default: none.",
    ),
  }),
).describe("Storage for KV blocks outside the accelerators' memory.");

const SpeculationMethod = words("SpeculationMethod", "Source of the draft tokens.", {
  Mtp: ["mtp", "The model's multi-token prediction layers."],
  Eagle3: ["eagle3", "Draft model."],
  Ngram: ["ngram", "Repetitions in the prompt."],
});

const DataType = words("DataType", "Data type of a model with weights of 16 bits or more.", {
  Auto: ["auto", "The data type of the model."],
  Bfloat16: ["bfloat16", "bfloat16."],
  Float16: ["float16", "float16."],
  Float32: ["float32", "float32."],
});

const Quantization = words(
  "Quantization",
  "Quantization that is applied to a 16-bit model when it loads.",
  {
    Auto: ["auto", "None: the weights keep the checkpoint's data type."],
    Fp8: ["fp8", "FP8, with scales that the engine computes."],
  },
);

const KvCacheDataType = words("KvCacheDataType", "Data type of the KV cache.", {
  Auto: ["auto", "The data type that the model computes in."],
  Fp8: ["fp8", "FP8, which halves the size of the cache."],
});

const Speculation = named(
  "Speculation",
  z.strictObject({
    method: SpeculationMethod.describe("Source of the draft tokens."),
    tokens: positiveInteger.max(16).describe("Draft tokens per step."),
    model: nonEmptyText
      .optional()
      .describe("Draft model on Hugging Face, required for eagle3. Default: none."),
  }),
).describe("Speculative decoding.");

export const EngineSettings = named(
  "EngineSettings",
  z.strictObject({
    name: EngineKind.describe("Name of the engine."),
    version: z
      .string()
      .regex(/^\d+\.\d+\.\d+(\.?(rc|post)\d+)?$/, "a version, such as 0.32.0")
      .optional()
      .describe(
        "Version of the engine. Default: the newest version that this library was tested with.",
      ),
    image: text
      .optional()
      .describe("Image of the engine. Default: the engine's image for the accelerator."),
    maxModelLen: positiveInteger
      .max(2 ** 30)
      .optional()
      .describe(
        "Maximum context length in tokens. Default: the model's maximum, or the part of it that fits on the selected devices.",
      ),
    maxNumSeqs: size
      .optional()
      .describe("Maximum number of requests that run concurrently. Default: the engine's default."),
    memoryFraction: z
      .number()
      .min(0.1)
      .max(0.99)
      .optional()
      .describe(
        "Share of each device's memory for weights and KV cache. Default: 0.9. SGLang chooses its own share.",
      ),
    tensorParallel: size
      .optional()
      .describe(
        "Tensor parallel size: devices that share each layer. Default: the fewest devices of a node that hold the model and one request of `maxModelLen` tokens (16,384 if unset).",
      ),
    pipelineParallel: size
      .optional()
      .describe(
        "Pipeline parallel size: groups of devices that split the layers. Default: one group per node.",
      ),
    dataParallel: size
      .default(1)
      .describe(
        "Data parallel size: copies of the attention layers in one engine, each on its own devices.",
      ),
    expertParallel: z
      .boolean()
      .optional()
      .describe(
        "Whether each expert stays whole on one device (expert parallelism). Default: true if the experts cannot be divided.",
      ),
    dtype: DataType.default("auto").describe(
      "Data type of weights that are not quantized. `auto` uses the data type of the checkpoint.",
    ),
    quantization: Quantization.default("auto").describe(
      "Quantization that is applied to a 16-bit model when it loads.",
    ),
    kvCacheDtype: KvCacheDataType.default("auto").describe(
      "Data type of the KV cache. `auto` uses the data type that the model computes in.",
    ),
    lora: Lora.optional().describe("LoRA adapters. Default: none."),
    kvOffload: KvOffload.optional().describe(
      "KV blocks in host memory and on disk. Not supported for prefillers and decoders. Default: none.",
    ),
    speculative: Speculation.optional().describe("Speculative decoding. Default: none."),
    args: z
      .array(z.string())
      .default([])
      .describe(
        "Further arguments of the engine. They replace planned arguments such as --port and --served-model-name. An option that another field sets is refused.",
      ),
    env: z.record(z.string(), text).default({}).describe("Environment variables of the engine."),
  }),
).describe("Engine and its settings. Each setting becomes one of the engine's flags.");

export type EngineSettings = z.infer<typeof EngineSettings>;
export type EngineSettingsInput = z.input<typeof EngineSettings>;
