/** Data types and quantizations that releases of vLLM do not support on a generation of GPUs. */

import type { Capability } from "../accelerators/accelerator.ts";
import {
  bfloat16,
  capabilityText,
  gpuOf,
  isBelow,
  type NeedOf,
  type QuantizationNeed,
} from "../checks/capability.ts";
import {
  isBefore,
  isSince,
  optionText,
  type StartUp,
  type StartUpCheck,
  versionText,
} from "../interface/start-up.ts";
import { gpuReleases, leastCapability } from "./first-releases.ts";

/** _get_and_verify_dtype, and _FLOAT16_NOT_SUPPORTED_MODELS since 0.9. */
export const dataType: StartUpCheck = function* (startUp) {
  const { facts, modelName } = startUp;
  const gpu = gpuOf(startUp);
  const written = optionText(startUp, "--dtype") ?? "auto";
  // Since 0.9 vLLM uses float16 on older GPUs if no type is set.
  const isByDefault =
    written === "auto" && facts.weights.dataType === "bfloat16" && isBefore(startUp, [0, 9]);
  yield* bfloat16(startUp, isByDefault);
  if (written !== "float16" && written !== "half") return;
  const isMxfp4 = facts.weights.quantized.experts?.method === "mxfp4";
  if ((facts.refusesFloat16 && !isBefore(startUp, [0, 8, 5])) || isMxfp4)
    yield {
      given: `set --dtype ${written} for ${modelName}, which vLLM does not support in float16`,
      allowed: "bfloat16, or float32 on GPUs before compute capability 8.0",
      fix:
        gpu && isBelow(gpu.capability, [8, 0]) ? "Set --dtype float32." : "Set --dtype bfloat16.",
    };
};

/** get_min_capability of the quantization configurations, by release. */
export const quantizationNeed: NeedOf = (startUp, { method }, isExperts) => {
  switch (method) {
    case "fp8-block":
    case "fp8-channel":
    case "fp8-tensor": {
      const label = method === "fp8-block" ? "FP8 blocks" : "FP8";
      // Marlin kernels for blocks and experts: vllm-project/vllm#15336, #18182 and #12581 show them in 0.8.5 and
      // earlier.
      const isMarlin = method !== "fp8-block" && !isExperts;
      if (isBefore(startUp, [0, 5, 2])) return { label, capability: [8, 9] };
      if (!isMarlin && isBefore(startUp, [0, 9])) return { label, capability: [8, 9] };
      if (isBefore(startUp, [0, 13])) return { label, capability: [8, 0] };
      return { label, capability: [7, 5] };
    }
    case "mxfp4":
      // vllm-project/vllm#22288, #23203.
      return { label: "MXFP4", capability: [8, 0] };
    case "nvfp4":
      if (isBefore(startUp, [0, 9])) return { label: "NVFP4", capability: [10, 0] };
      return { label: "NVFP4", capability: isBefore(startUp, [0, 13]) ? [8, 0] : [7, 5] };
    case "awq":
      // vllm-project/vllm#4202.
      return { label: "AWQ", capability: [7, 5] };
    case "int4":
    case "int8":
      // vllm-project/vllm#20216, #25022.
      return isBefore(startUp, [0, 12])
        ? { label: "compressed-tensors in 4 bits", capability: method === "int4" ? [8, 0] : [7, 5] }
        : { label: "compressed-tensors", capability: [7, 5] };
    default:
      return undefined;
  }
};

/** Returns the fix if a later release supports the quantization on a GPU. */
export const laterQuantization = (
  startUp: StartUp,
  { label }: QuantizationNeed,
  gpu: Capability,
): string | undefined =>
  startUp.version !== undefined &&
  /^(FP8|NVFP4)/.test(label) &&
  !isBelow(gpu, [8, 0]) &&
  isBefore(startUp, [0, 9])
    ? "Use an image with vLLM 0.10 or later, or a GPU of the required generation."
    : undefined;

/** Checkpoints with another quantization than the command sets. */
export const namedQuantization: StartUpCheck = function* (startUp) {
  const { facts, modelName } = startUp;
  const named = optionText(startUp, "--quantization");
  if (named === undefined) return;
  const methods = [...new Set(Object.values(facts.weights.quantized).map(({ method }) => method))];
  const isPacked = /^(awq|gptq)(_marlin)?$/.test(named);
  const has = methods.length === 0 ? "no quantization" : methods.join(" and ");
  const isOther =
    named === "fp8" && methods.some((method) => method === "awq" || method === "gptq");
  if ((isPacked && methods.length === 0) || isOther)
    yield {
      given: `set --quantization ${named} for ${modelName}, but its checkpoint has ${has}`,
      allowed: isOther ? "the quantization of the checkpoint" : `a checkpoint in ${named}`,
      fix: "Remove --quantization, or load a checkpoint with this quantization.",
    };
};

/** Attention in FP8 on older GPUs, and in sparse attention. */
export const keyValueDataType: StartUpCheck = function* (startUp) {
  const { facts, modelName, env } = startUp;
  const type = optionText(startUp, "--kv-cache-dtype") ?? "auto";
  if (!type.startsWith("fp8")) return;
  const backend =
    optionText(startUp, "--attention-backend") ?? env.text("VLLM_ATTENTION_BACKEND") ?? "";
  const gpu = gpuOf(startUp);
  const isE4m3 = type === "fp8" || type === "fp8_e4m3";
  // vllm-project/vllm#26431 reports it for 0.11; FlashInfer converts on older GPUs since #24577.
  const isRefused = isSince(startUp, [0, 8]) && isBefore(startUp, [0, 12]);
  if (gpu && isE4m3 && isRefused && isBelow(gpu.capability, [8, 9]) && !/flashinfer/i.test(backend))
    yield {
      given: `store the KV cache in ${type} on ${gpu.title}, whose compute capability is ${capabilityText(gpu.capability)}`,
      allowed:
        "compute capability 8.9 or higher for this data type in the default attention of this vLLM version",
      fix: "Remove --kv-cache-dtype, or use an image with vLLM 0.12 or later.",
    };
  // vllm-project/recipes#565: the sparse kernels of Hopper have a separate layout for one of the FP8 types.
  const isSparse = facts.attention.kind === "latent" && facts.attention.indexer !== undefined;
  if (
    isSparse &&
    /_e[45]m/.test(type) &&
    gpu?.capability[0] === 9 &&
    facts.architecture.startsWith("Glm")
  )
    yield {
      given: `store the KV cache of ${modelName} in ${type}, which no sparse attention backend supports on ${gpu.title}`,
      allowed: "auto or bfloat16",
      fix: "Remove --kv-cache-dtype.",
    };
  const isFp8 = Object.values(facts.weights.quantized).some(({ method }) =>
    method.startsWith("fp8"),
  );
  if (type === "fp8_e5m2" && isFp8)
    yield {
      given: `store the KV cache of ${modelName} in fp8_e5m2 with an FP8 checkpoint`,
      allowed: "fp8_e4m3 or auto with an FP8 checkpoint",
      fix: "Set --kv-cache-dtype fp8_e4m3, or remove it.",
    };
};

/** GPUs that are older or newer than an engine's release. */
export const gpuGeneration: StartUpCheck = function* (startUp) {
  const { version } = startUp;
  const gpu = gpuOf(startUp);
  if (gpu === undefined) return;
  if (isBelow(gpu.capability, leastCapability))
    yield {
      given: `run on ${gpu.title}, whose compute capability is ${capabilityText(gpu.capability)}`,
      allowed: `compute capability ${capabilityText(leastCapability)} or higher for vLLM`,
      fix: "Use a newer GPU.",
    };
  const first = gpuReleases[gpu.capability[0]];
  if (version !== undefined && first !== undefined && isBefore(startUp, first))
    yield {
      given: `run vLLM ${versionText(version)} on ${gpu.title}, for which this version has no kernels`,
      allowed: `vLLM ${versionText(first)} or later for compute capability ${capabilityText(gpu.capability)}`,
      fix: "Use a later image.",
    };
};
