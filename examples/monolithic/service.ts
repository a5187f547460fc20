import { huggingFace, type InferenceServiceArgs, worker } from "pulumi-inference";

export const name = "qwen-inference";

/** vLLM on one GPU. */
export const args: InferenceServiceArgs = {
  model: huggingFace("Qwen/Qwen3-8B"),
  accelerator: "h100-sxm",
  roles: [worker({ name: "inference", replicas: 1 })],
};
