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
    worker({ replicas: 2 }),
    router({ httproute: { parentRefs: [{ name: "gateway" }] } }),
  ],
});
