/** Data types and quantizations that a generation of GPUs does not support, by engine and version. */

import type { AcceleratorType, Capability } from "../accelerators/accelerator.ts";
import { engines } from "../engines/index.ts";
import { firstWith } from "../engines/releases/release.ts";
import type { ModelFacts } from "../models/model-facts.ts";
import type { Quantization } from "../models/quantization.ts";
import { architectures, gpuReleases, leastCapability } from "./release-tables.ts";
import {
  isBefore,
  isSince,
  type StartUp,
  type StartUpCheck,
  textOf,
  versionText,
} from "./start-up.ts";

const isBelow = (capability: Capability, [major, minor]: Capability): boolean =>
  capability[0] < major || (capability[0] === major && capability[1] < minor);

/** The GPU, if its capability is known; undefined for unknown accelerators and for devices of other makers. */
function gpuOf({ accelerator }: StartUp): { title: string; capability: Capability } | undefined {
  const { title, capability } = accelerator ?? ({} as Partial<AcceleratorType>);
  return title === undefined || capability === undefined ? undefined : { title, capability };
}

const capabilityText = ([major, minor]: Capability) => `${major}.${minor}`;

const isHalf = (type: string | undefined) => type === "float16" || type === "half";

/** vLLM: _get_and_verify_dtype, and _FLOAT16_NOT_SUPPORTED_MODELS since 0.9. */
export const dataType: StartUpCheck = function* (startUp) {
  const { engine, facts, modelName } = startUp;
  if (engine === "tensorrt-llm") return;
  const gpu = gpuOf(startUp);
  const written = textOf(startUp, "--dtype") ?? "auto";
  // Since 0.9 vLLM uses float16 on such GPUs if no type is set.
  const isByDefault =
    engine === "vllm" &&
    written === "auto" &&
    facts.weights.dataType === "bfloat16" &&
    isBefore(startUp, [0, 9]);
  if (gpu && (written === "bfloat16" || isByDefault) && isBelow(gpu.capability, [8, 0]))
    yield {
      given: `compute ${modelName} in bfloat16 on ${gpu.title}, whose compute capability is ${capabilityText(gpu.capability)}`,
      allowed: "bfloat16 with compute capability 8.0 or higher",
      fix: facts.refusesFloat16
        ? "Set --dtype float32, or use a newer GPU."
        : "Set --dtype float16, or use a newer GPU.",
    };
  if (engine !== "vllm" || !isHalf(written)) return;
  const isMxfp4 = facts.weights.quantized.experts?.method === "mxfp4";
  if ((facts.refusesFloat16 && !isBefore(startUp, [0, 8, 5])) || isMxfp4)
    yield {
      given: `set --dtype ${written} for ${modelName}, which vLLM does not support in float16`,
      allowed: "bfloat16, or float32 on GPUs before compute capability 8.0",
      fix:
        gpu && isBelow(gpu.capability, [8, 0]) ? "Set --dtype float32." : "Set --dtype bfloat16.",
    };
};

/** The requirement of one quantization, with its source. */
interface Need {
  readonly label: string;
  readonly capability: Capability;
}

/**
 * Returns the least capability that an engine's release needs for a quantization; undefined if the requirement of the
 * release is unknown.
 */
function needOf(startUp: StartUp, { method }: Quantization, isExperts: boolean): Need | undefined {
  const { engine } = startUp;
  if (engine === "vllm") return vllmNeed(startUp, method, isExperts);
  if (engine === "sglang") {
    // skypilot-org/skypilot#4723, sgl-project/sglang#18071 of 0.5.8.
    if (method === "fp8-block") return { label: "FP8 blocks", capability: [8, 9] };
    if (method === "nvfp4" && isBefore(startUp, [0, 5, 9]))
      return { label: "NVFP4", capability: [10, 0] };
    return undefined;
  }
  // NVIDIA/TensorRT-LLM#6038.
  return method === "nvfp4" ? { label: "NVFP4", capability: [10, 0] } : undefined;
}

/** vLLM: get_min_capability of its quantization configurations, by release. */
function vllmNeed(
  startUp: StartUp,
  method: Quantization["method"],
  isExperts: boolean,
): Need | undefined {
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
}

/** Values of `--quantization` for a checkpoint without one: the engine quantizes during loading. */
const onLoading: Readonly<Record<string, Quantization>> = {
  fp8: { method: "fp8-tensor", bits: 8, bytes: 1 },
  bitsandbytes: { method: "bitsandbytes", bits: 4, bytes: 0.5625 },
};

/** Returns the quantization that the engine applies while it loads an unquantized model. */
export function quantizationOnLoading(startUp: StartUp): Quantization | undefined {
  const named = textOf(startUp, "--quantization");
  if (named === undefined || Object.keys(startUp.facts.weights.quantized).length > 0)
    return undefined;
  return onLoading[named.replaceAll("_", "-")];
}

export const quantization: StartUpCheck = function* (startUp) {
  const { engine, facts, modelName, version } = startUp;
  const gpu = gpuOf(startUp);
  if (gpu === undefined) return;
  const made = quantizationOnLoading(startUp);
  const all: Array<[Quantization, boolean]> = made
    ? [[made, facts.experts !== undefined]]
    : Object.entries(facts.weights.quantized).map(([part, each]) => [each, part === "experts"]);
  const needs = all.flatMap(([each, isExperts]) => needOf(startUp, each, isExperts) ?? []);
  const unmet = needs.find(({ capability }) => isBelow(gpu.capability, capability));
  if (unmet === undefined) return;
  const release = version === undefined ? "" : ` ${versionText(version)}`;
  yield {
    given: `load ${modelName} in ${unmet.label} on ${gpu.title}, whose compute capability is ${capabilityText(gpu.capability)}`,
    allowed: `compute capability ${capabilityText(unmet.capability)} or higher for ${unmet.label} in ${engines[engine].title}${release}`,
    fix: nearestQuantization(startUp, unmet, gpu.capability),
  };
};

function nearestQuantization(
  startUp: StartUp,
  { label, capability }: Need,
  own: Capability,
): string {
  const isLater =
    startUp.engine === "vllm" &&
    startUp.version !== undefined &&
    /^(FP8|NVFP4)/.test(label) &&
    !isBelow(own, [8, 0]) &&
    isBefore(startUp, [0, 9]);
  return isLater
    ? "Use an image with vLLM 0.10 or later, or a GPU of the required generation."
    : `Use a checkpoint without ${label}, or a GPU with compute capability ${capabilityText(capability)} or higher.`;
}

/** Checkpoints with another quantization than the command sets. */
export const namedQuantization: StartUpCheck = function* (startUp) {
  const { engine, facts, modelName } = startUp;
  const named = engine === "vllm" ? textOf(startUp, "--quantization") : undefined;
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
  const { engine, facts, modelName, env } = startUp;
  if (engine !== "vllm") return;
  const type = textOf(startUp, "--kv-cache-dtype") ?? "auto";
  if (!type.startsWith("fp8")) return;
  const backend =
    textOf(startUp, "--attention-backend") ?? env.text("VLLM_ATTENTION_BACKEND") ?? "";
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
  if (isSparse && /_e[45]m/.test(type) && gpu?.capability[0] === 9 && isGlm(facts))
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

const isGlm = ({ architecture }: ModelFacts) => architecture.startsWith("Glm");

/** GPUs that are older or newer than an engine's release. */
export const gpuGeneration: StartUpCheck = function* (startUp) {
  const { engine, version } = startUp;
  const gpu = gpuOf(startUp);
  if (engine !== "vllm" || gpu === undefined) return;
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

/** Models that are newer than an engine's release. */
export const modelRelease: StartUpCheck = function* (startUp) {
  const { engine, facts, modelName, version } = startUp;
  const { releases } = engines[engine];
  const first =
    architectures[engine]?.[facts.architecture] ??
    (releases &&
      firstWith(releases.all, ({ names }) => names.architectures.has(facts.architecture)));
  if (version === undefined || first === undefined || !isBefore(startUp, first)) return;
  const { title } = engines[engine];
  yield {
    given: `load ${modelName} (${facts.architecture}) with ${title} ${versionText(version)}`,
    allowed: `${title} ${versionText(first)} or later for this architecture`,
    fix: "Use a later image.",
  };
};
