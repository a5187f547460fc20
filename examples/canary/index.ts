import * as pulumi from "@pulumi/pulumi";
import { huggingFace, InferenceService, router, vllm, worker } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const canaryWeight = config.getNumber("canaryWeight") ?? 10;

/** Folders of the adapters, by the model name in engine and picker. */
const adapters = { "assistant-v1": "/adapters/v1", "assistant-v2": "/adapters/v2" };

/** Mounts the claim with the adapters. The plan writes all other fields of the pod. */
const adapterFiles = {
  containers: [
    {
      name: "vllm",
      volumeMounts: [{ name: "adapters", mountPath: "/adapters", readOnly: true }],
    },
  ],
  volumes: [{ name: "adapters", persistentVolumeClaim: { claimName: "adapters", readOnly: true } }],
};

// A new weight changes only this object, which the endpoint picker watches, so no pod restarts.
const service = new InferenceService("assistant", {
  metadata: { namespace },
  model: huggingFace("Qwen/Qwen3-8B"),
  accelerator: "h100-sxm",
  engine: vllm({
    lora: {
      maxRank: 32,
      adapters: Object.entries(adapters).map(([name, source]) => ({ name, source })),
    },
  }),
  roles: [
    worker({ name: "inference", replicas: 2, template: { spec: adapterFiles } }),
    router({ httproute: { parentRefs: [{ name: "inference-gateway" }] } }),
  ],
  models: [
    {
      name: "assistant",
      objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms" },
      targetModels: [
        { name: "assistant-v1", weight: 100 - canaryWeight },
        { name: "assistant-v2", weight: canaryWeight },
      ],
    },
    { name: "batch", targetModels: [{ name: "assistant-v1" }] },
  ],
});

export const poolName = service.poolName;
