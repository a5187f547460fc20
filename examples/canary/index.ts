import * as pulumi from "@pulumi/pulumi";
import { InferenceService } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const canaryWeight = config.getNumber("canaryWeight") ?? 10;

/** Adapters of the base model: name, as engine and picker know it, to folder. */
const adapters = { "assistant-v1": "/adapters/v1", "assistant-v2": "/adapters/v2" };

// Moving weights changes one object that the endpoint picker watches: no pod restarts.
const service = new InferenceService("assistant", {
  metadata: { namespace },
  roles: [
    {
      name: "inference",
      componentType: "worker",
      replicas: 2,
      template: {
        spec: {
          containers: [
            {
              name: "vllm",
              image: "vllm/vllm-openai:v0.32.0",
              args: [
                ...["--model", "Qwen/Qwen3-8B"],
                ...["--enable-lora", "--max-loras", "2", "--max-lora-rank", "32"],
                "--lora-modules",
                ...Object.entries(adapters).map(([adapter, path]) => `${adapter}=${path}`),
              ],
              ports: [{ containerPort: 8000, name: "http" }],
              resources: { limits: { "nvidia.com/gpu": "1" } },
              volumeMounts: [{ name: "adapters", mountPath: "/adapters", readOnly: true }],
            },
          ],
          volumes: [
            { name: "adapters", persistentVolumeClaim: { claimName: "adapters", readOnly: true } },
          ],
        },
      },
    },
    {
      name: "router",
      componentType: "router",
      httproute: { parentRefs: [{ name: "inference-gateway" }] },
    },
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
