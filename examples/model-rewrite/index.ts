import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { InferenceModelRewrite, InferencePool, InferenceRoute } from "pulumi-inference";

const namespace = new pulumi.Config().get("namespace") ?? "default";

// Existing servers, whose model names differ from the names that clients use.
const labels = { app: "food-review" };
new k8s.apps.v1.Deployment("food-review", {
  metadata: { name: "food-review", namespace },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 90,
        containers: [
          {
            name: "vllm",
            image: "vllm/vllm-openai:v0.32.0",
            args: [
              ...["--model", "Qwen/Qwen3-8B", "--shutdown-timeout", "60"],
              ...["--enable-lora", "--max-loras", "2", "--max-lora-rank", "32"],
              ...["--lora-modules", "foodreview-v1=/adapters/v1", "foodreview-v2=/adapters/v2"],
            ],
            ports: [{ name: "http", containerPort: 8000 }],
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
});

const pool = new InferencePool("main-food-review-pool", {
  metadata: { namespace },
  selector: labels,
});

new InferenceModelRewrite("food-review-canary-rollout", {
  metadata: { namespace },
  poolRef: { name: pool.poolName },
  rules: [
    {
      matches: [{ model: { value: "foodreview" } }],
      targets: [
        { modelRewrite: "foodreview-v1", weight: 10 },
        { modelRewrite: "foodreview-v2", weight: 90 },
      ],
    },
    { matches: [{ model: { value: "gpt-4o" } }], targets: [{ modelRewrite: "Qwen/Qwen3-8B" }] },
  ],
});

new InferenceRoute("food-review", {
  metadata: { namespace },
  parentRefs: [{ name: "inference-gateway" }],
  rules: [{ pools: [{ name: pool.poolName }] }],
});

export const poolName = pool.poolName;
