import {
  huggingFace,
  InferenceService,
  router,
  worker,
} from "pulumi-inference";

new InferenceService("deepseek", {
  model: huggingFace("deepseek-ai/DeepSeek-R1"),
  accelerator: "h100-sxm",
  roles: [
    worker({ replicas: 2, multinode: { nodeCount: 1 } }),
    router({ httproute: { parentRefs: [{ name: "gateway" }] } }),
  ],
});
