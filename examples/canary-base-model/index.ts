import * as pulumi from "@pulumi/pulumi";
import {
  huggingFace,
  InferenceRoute,
  InferenceService,
  router,
  vllm,
  worker,
} from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const canaryWeight = config.getNumber("canaryWeight") ?? 10;

/** One version of the model: engines, a pool and its picker. Both versions serve the name that clients ask for. */
const version = (name: string, model: string, replicas: number) =>
  new InferenceService(name, {
    metadata: { namespace },
    model: huggingFace(model),
    accelerator: "h100-sxm",
    engine: vllm({ args: ["--served-model-name", "assistant"] }),
    // A picker and a pool; the route below has both pools.
    roles: [worker({ name: "inference", replicas }), router()],
  });

const stable = version("assistant", "Qwen/Qwen3-4B", 2);
const canary = version("assistant-next", "Qwen/Qwen3-8B", 1);

// Moving weights changes one HTTPRoute: no pod restarts.
new InferenceRoute("assistant", {
  metadata: { namespace },
  parentRefs: [{ name: "inference-gateway" }],
  rules: [
    {
      pools: [
        { name: stable.poolName, weight: 100 - canaryWeight },
        { name: canary.poolName, weight: canaryWeight },
      ],
    },
  ],
});

export const poolNames = [stable.poolName, canary.poolName];
