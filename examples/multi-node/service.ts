import { huggingFace, type InferenceServiceArgs, worker } from "pulumi-inference";

export const name = "deepseek-r1-inference";

/**
 * vLLM on four nodes of 8 GPUs. The plan splits the model: each node has a quarter of the layers, and each of its GPUs an
 * eighth of each layer. 32 tensor parallel ranks would not load, because each would get 64 columns of an expert, which is
 * half of an FP8 block of the model.
 */
export const args: InferenceServiceArgs = {
  model: huggingFace("deepseek-ai/DeepSeek-R1"),
  accelerator: "h100-sxm",
  roles: [worker({ name: "inference", replicas: 2, multinode: { nodeCount: 4 } })],
};
