/** Data types, quantizations and architectures that a GPU or a release does not support. */

import type { AcceleratorType, Capability } from "../accelerators/accelerator.ts";
import {
  isBefore,
  optionText,
  type StartUp,
  type StartUpCheck,
  versionText,
} from "../interface/start-up.ts";
import type { Quantization } from "../models/quantization.ts";
import { firstWith } from "../options/release.ts";
import type { Version } from "../options/version.ts";

export const isBelow = (capability: Capability, [major, minor]: Capability): boolean =>
  capability[0] < major || (capability[0] === major && capability[1] < minor);

/** The GPU, if its capability is known; undefined for unknown accelerators and for devices of other makers. */
export function gpuOf({
  accelerator,
}: StartUp): { title: string; capability: Capability } | undefined {
  const { title, capability } = accelerator ?? ({} as Partial<AcceleratorType>);
  return title === undefined || capability === undefined ? undefined : { title, capability };
}

export const capabilityText = ([major, minor]: Capability) => `${major}.${minor}`;

/** Returns the fault of a command that computes in bfloat16 on an older GPU. */
export function* bfloat16(startUp: StartUp, isByDefault = false): ReturnType<StartUpCheck> {
  const { facts, modelName } = startUp;
  const gpu = gpuOf(startUp);
  const isUsed = isByDefault || optionText(startUp, "--dtype") === "bfloat16";
  if (gpu && isUsed && isBelow(gpu.capability, [8, 0]))
    yield {
      given: `compute ${modelName} in bfloat16 on ${gpu.title}, whose compute capability is ${capabilityText(gpu.capability)}`,
      allowed: "bfloat16 with compute capability 8.0 or higher",
      fix: facts.refusesFloat16
        ? "Set --dtype float32, or use a newer GPU."
        : "Set --dtype float16, or use a newer GPU.",
    };
}

/** The requirement of one quantization. */
export interface QuantizationNeed {
  readonly label: string;
  readonly capability: Capability;
}

/** Values of `--quantization` for a checkpoint without quantization: the engine quantizes during loading. */
const onLoading: Readonly<Record<string, Quantization>> = {
  fp8: { method: "fp8-tensor", bits: 8, bytes: 1 },
  bitsandbytes: { method: "bitsandbytes", bits: 4, bytes: 0.5625 },
};

/** Returns the quantization that the engine applies while it loads an unquantized model. */
export function quantizationOnLoading(startUp: StartUp): Quantization | undefined {
  const named = optionText(startUp, "--quantization");
  if (named === undefined || Object.keys(startUp.facts.weights.quantized).length > 0)
    return undefined;
  return onLoading[named.replaceAll("_", "-")];
}

/** Returns the minimum compute capability for a quantization in a release of an engine; undefined if it is unknown. */
export type NeedOf = (
  startUp: StartUp,
  quantization: Quantization,
  isExperts: boolean,
) => QuantizationNeed | undefined;

/** @param laterFix returns the fix, if a later release supports the quantization on the GPU */
export const quantization = (
  needOf: NeedOf,
  laterFix: (
    startUp: StartUp,
    need: QuantizationNeed,
    gpu: Capability,
  ) => string | undefined = () => undefined,
): StartUpCheck =>
  function* (startUp) {
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
    const { label, capability } = unmet;
    const release = version === undefined ? "" : ` ${versionText(version)}`;
    yield {
      given: `load ${modelName} in ${label} on ${gpu.title}, whose compute capability is ${capabilityText(gpu.capability)}`,
      allowed: `compute capability ${capabilityText(capability)} or higher for ${label} in ${engine.title}${release}`,
      fix:
        laterFix(startUp, unmet, gpu.capability) ??
        `Use a checkpoint without ${label}, or a GPU with compute capability ${capabilityText(capability)} or higher.`,
    };
  };

/**
 * Models that are newer than an engine's release.
 *
 * @param firstReleases first releases with an architecture, which the stored releases do not show
 */
export const modelRelease = (firstReleases: Readonly<Record<string, Version>> = {}): StartUpCheck =>
  function* (startUp) {
    const { engine, facts, modelName, version } = startUp;
    const { title, releases } = engine;
    const first =
      firstReleases[facts.architecture] ??
      (releases &&
        firstWith(releases.all, ({ names }) => names.architectures.has(facts.architecture)));
    if (version === undefined || first === undefined || !isBefore(startUp, first)) return;
    yield {
      given: `load ${modelName} (${facts.architecture}) with ${title} ${versionText(version)}`,
      allowed: `${title} ${versionText(first)} or later for this architecture`,
      fix: "Use a later image.",
    };
  };
