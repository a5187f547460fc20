import type { EngineName } from "../../engines/index.ts";
import type { ServingEngine } from "./serving-engine.ts";
import { sglangServing } from "./sglang.ts";
import { tensorRtLlmServing } from "./tensorrt-llm.ts";
import { vllmServing } from "./vllm.ts";

/** How each engine serves a typed model. */
export const servingEngines: Readonly<Record<EngineName, ServingEngine>> = {
  sglang: sglangServing,
  "tensorrt-llm": tensorRtLlmServing,
  vllm: vllmServing,
};
