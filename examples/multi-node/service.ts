import { huggingFace, type InferenceServiceArgs, worker } from "pulumi-inference";

export const name = "deepseek-r1-inference";

/**
 * vLLM over four nodes of 8 GPUs. The plan divides the model: each node holds a quarter of the layers, each of its GPUs an
 * eighth of every layer. 32 tensor parallel ranks would not load: they leave 64 columns of each expert, half of one of the
 * model's FP8 blocks.
 */
export const args: InferenceServiceArgs = {
  model: huggingFace("deepseek-ai/DeepSeek-R1"),
  accelerator: "h100-sxm",
  roles: [worker({ name: "inference", replicas: 2, multinode: { nodeCount: 4 } })],
};
