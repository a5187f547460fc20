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

/** Creates one version of the model: engines, a pool and its picker. Both versions serve the same model name. */
const version = (name: string, model: string, replicas: number) =>
  new InferenceService(name, {
    metadata: { namespace },
    model: huggingFace(model),
    accelerator: "h100-sxm",
    engine: vllm({ args: ["--served-model-name", "assistant"] }),
    // The router creates a picker and a pool, but no route: the route below contains both pools.
    roles: [worker({ name: "inference", replicas }), router()],
  });

const stable = version("assistant", "Qwen/Qwen3-4B", 2);
const canary = version("assistant-next", "Qwen/Qwen3-8B", 1);

// A new weight changes only this HTTPRoute, so no pod restarts.
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
