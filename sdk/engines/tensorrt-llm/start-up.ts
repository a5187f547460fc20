/** Checks of the start of TensorRT-LLM, whose memory and context are set in a file. */

import { type NeedOf, quantization } from "../checks/capability.ts";
import { loadingTime, modelToken } from "../checks/loading.ts";
import { stages } from "../checks/ranks.ts";
import type { StartUpChecks } from "../interface/start-up.ts";

/** NVIDIA/TensorRT-LLM#6038. */
const quantizationNeed: NeedOf = (_, { method }) =>
  method === "nvfp4" ? { label: "NVFP4", capability: [10, 0] } : undefined;

export const tensorRtLlmChecks: StartUpChecks = {
  token: modelToken,
  quantization: quantization(quantizationNeed),
  stages: stages(),
  "loading-time": loadingTime,
};
