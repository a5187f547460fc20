import { huggingFace, type InferenceServiceArgs, router, sglang, worker } from "pulumi-inference";

export const name = "deepseek-sglang";

/** SGLang on two nodes. The plan adds the arguments with which the pods find each other. */
export const args: InferenceServiceArgs = {
  model: huggingFace("deepseek-ai/DeepSeek-R1"),
  accelerator: "h100-sxm",
  engine: sglang({ tensorParallel: 16, maxModelLen: 65_536 }),
  roles: [
    worker({ name: "inference", replicas: 2 }),
    router({ httproute: { parentRefs: [{ name: "inference-gateway" }] } }),
  ],
};
