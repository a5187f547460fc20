import type { EngineSettingsInput } from "../spec/engine.ts";

/** Functions that programs write typed services with. Each returns plain data, which YAML may contain as well. */

type Settings = Omit<EngineSettingsInput, "name">;

/** Returns vLLM with settings, as `vllm({ maxModelLen: 32_768 })`. */
export const vllm = (settings: Settings = {}) => ({ name: "vllm" as const, ...settings });

/** Returns SGLang with settings. */
export const sglang = (settings: Settings = {}) => ({ name: "sglang" as const, ...settings });

/** Returns TensorRT-LLM with settings. */
export const tensorRtLlm = (settings: Settings = {}) => ({
  name: "tensorrt-llm" as const,
  ...settings,
});

const role =
  <const Type extends string>(componentType: Type, name: string) =>
  <Fields extends object>(fields?: Fields) => ({ name, componentType, ...(fields as Fields) });

/** Returns a role whose pods serve whole requests, named `worker` unless the fields name it. */
export const worker = role("worker", "worker");
/** Returns a role whose pods read prompts for decoders, named `prefiller` unless the fields name it. */
export const prefiller = role("prefiller", "prefiller");
/** Returns a role whose pods generate tokens from what prefillers have read, named `decoder` unless the fields name it. */
export const decoder = role("decoder", "decoder");
/** Returns the router in front of the other roles, named `router` unless the fields name it. */
export const router = role("router", "router");
