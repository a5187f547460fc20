import type { EngineName } from "./engine.ts";

/** An image that its authors build for one engine or for devices of one maker. */
export interface PublishedImage {
  /** Undefined for an image that may contain any engine. */
  readonly engine: EngineName | undefined;
  readonly devices: DeviceKind;
  /** Command that its entrypoint runs, if that is the server. */
  readonly entrypoint: string | undefined;
}

/** Kinds of devices for which images are built, with the resources that request them. */
const resources = {
  "NVIDIA GPUs": /^nvidia\.com\//,
  "AMD GPUs": /^amd\.com\//,
  "Intel Gaudi": /^habana\.ai\//,
  "Intel GPUs": /^gpu\.intel\.com\//,
  "Google TPUs": /^google\.com\/tpu$/,
  "Huawei Ascend": /^huawei\.com\//,
  "AWS Neuron": /^aws\.amazon\.com\/neuron/,
  CPUs: /^$/,
} as const;

type DeviceKind = keyof typeof resources;

/** Published images by name and tag; the first match applies. Other images may contain anything. */
const images: ReadonlyArray<
  readonly [image: RegExp, devices: DeviceKind, engine: EngineName | undefined]
> = [
  [/(^|\/)vllm-openai-rocm[:@]|(^|\/)rocm\/vllm(-\w+)?[:@]/, "AMD GPUs", "vllm"],
  [/(^|\/)rocm\/sgl-?\w*[:@]|(^|\/)lmsysorg\/sglang:.*rocm/, "AMD GPUs", "sglang"],
  [/(^|\/)vllm-openai-cpu[:@]/, "CPUs", "vllm"],
  [/(^|\/)lmsysorg\/sglang:.*(xeon|cpu)/, "CPUs", "sglang"],
  [/(^|\/)vllm\/vllm-tpu[:@]/, "Google TPUs", "vllm"],
  [/(^|\/)vllm-(gaudi|hpu)[:@]/, "Intel Gaudi", "vllm"],
  [/^vault\.habana\.ai\//, "Intel Gaudi", undefined],
  [/(^|\/)(vllm-openai-xpu|intel\/vllm)[:@]/, "Intel GPUs", "vllm"],
  [/(^|\/)vllm-ascend[:@]/, "Huawei Ascend", "vllm"],
  [/(^|\/)lmsysorg\/sglang:.*(npu|cann)/, "Huawei Ascend", "sglang"],
  [/(^|\/)[\w-]*vllm[\w-]*neuronx?[:@]/, "AWS Neuron", "vllm"],
  [/(^|\/)vllm\/vllm-openai(-cu\d+)?[:@]|^nvcr\.io\/nvidia\/vllm[:@]/, "NVIDIA GPUs", "vllm"],
  [/(^|\/)lmsysorg\/sglang[:@]|^nvcr\.io\/nvidia\/sglang[:@]/, "NVIDIA GPUs", "sglang"],
  [/^nvcr\.io\/nvidia\/tensorrt-llm\//, "NVIDIA GPUs", "tensorrt-llm"],
  [/^nvcr\.io\/nvidia\//, "NVIDIA GPUs", undefined],
  [/(^|\/)llm-d-cuda[:@]/, "NVIDIA GPUs", "vllm"],
];

/** Images whose entrypoint is vLLM's server. */
const serving = /(^|\/)vllm\/vllm-openai(-\w+)?[:@]/;

/** Returns what a published image contains; undefined for any other image. */
export function publishedImage(image: unknown): PublishedImage | undefined {
  if (typeof image !== "string") return undefined;
  // An image without a tag has the tag latest.
  const name = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
  const found = images.find(([pattern]) => pattern.test(name));
  const entrypoint = serving.test(name) ? "vllm serve" : undefined;
  return found && { devices: found[1], engine: found[2], entrypoint };
}

/** Returns the kind of devices that a resource requests; undefined for an unknown resource. */
export const devicesOfResource = (resource: string): DeviceKind | undefined =>
  (Object.keys(resources) as DeviceKind[]).find((kind) => resources[kind].test(resource));
