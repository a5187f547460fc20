import {
  decoder,
  huggingFace,
  type InferenceServiceArgs,
  prefiller,
  router,
} from "pulumi-inference";

export const name = "qwen-inference-service";

/**
 * vLLM on one GPU, for both roles. The plan adds the transfer of KV cache blocks by NIXL, its variables, and the decoders'
 * sidecar, which sends the prompt to the prefiller that the router selected.
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
