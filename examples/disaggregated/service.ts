import {
  decoder,
  huggingFace,
  type InferenceServiceArgs,
  prefiller,
  router,
} from "pulumi-inference";

export const name = "qwen-inference-service";

/**
 * vLLM on one GPU, the same for both sides. The plan adds what a pair needs: the transfer of key-value blocks by NIXL, its
 * variables, and the decoders' sidecar, which has prompts computed by the prefiller that the router chose.
 */
export const args: InferenceServiceArgs = {
  model: huggingFace("Qwen/Qwen3-8B"),
  accelerator: "h100-sxm",
  roles: [
    prefiller({ name: "prefill", replicas: 2 }),
    decoder({ name: "decode", replicas: 4 }),
    router({ httproute: { parentRefs: [{ name: "inference-gateway" }] } }),
  ],
};
