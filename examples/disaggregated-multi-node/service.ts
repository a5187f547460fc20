import {
  decoder,
  huggingFace,
  type InferenceServiceArgs,
  prefiller,
  router,
  vllm,
} from "pulumi-inference";

export const name = "deepseek-r1-disagg";

/**
 * vLLM on two nodes of 8 GPUs, for both roles. A decoder fetches KV cache blocks from every rank of its prefiller and cannot
 * fetch them into pipeline stages, so both roles have 16 tensor parallel ranks and no stages.
 */
export const args: InferenceServiceArgs = {
  model: huggingFace("deepseek-ai/DeepSeek-R1"),
  accelerator: "h100-sxm",
  engine: vllm({ tensorParallel: 16, pipelineParallel: 1 }),
  roles: [
    prefiller({ name: "prefill", replicas: 1 }),
    decoder({ name: "decode", replicas: 2 }),
    router({ httproute: { parentRefs: [{ name: "inference-gateway" }] } }),
  ],
};
