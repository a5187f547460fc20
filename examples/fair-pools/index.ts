import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { InferenceRoute, LLMServerPool, LLMService } from "pulumi-inference";

const namespace = new pulumi.Config().get("namespace") ?? "default";

const labels = { app: "qwen" };
new k8s.apps.v1.Deployment("qwen", {
  metadata: { name: "qwen", namespace },
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
            args: ["--model", "Qwen/Qwen3-8B", "--shutdown-timeout", "60"],
            ports: [{ name: "http", containerPort: 8000 }],
            resources: { limits: { "nvidia.com/gpu": "1" } },
          },
        ],
      },
    },
  },
});

const pool = new LLMServerPool("qwen-pool", {
  metadata: { namespace },
  modelServerSelector: labels,
  // While no model server has a free slot, requests wait in the picker, which dispatches them by share. The weight of
  // the pool's owner overrides the share of a service: batch gets a fifth of the share of search.
  fairness: { weights: { [`${namespace}/batch`]: 1 } },
});

const poolRef = [{ name: pool.poolName }];
const targetModels = [{ name: "Qwen/Qwen3-8B" }];

new LLMService("support-chat", {
  metadata: { name: "support-chat", namespace },
  share: 5,
  models: [
    {
      name: "support",
      // A user waits for the answer: these requests precede requests for models without an objective.
      objective: {
        desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms",
        desiredTimeToFirstTokenAtP95OverMultipleRequests: "500ms",
      },
      targetModels,
    },
  ],
  poolRef,
});

new LLMService("search", {
  metadata: { name: "search", namespace },
  share: 5,
  models: [{ name: "search", targetModels }],
  poolRef,
});

new LLMService("batch", {
  metadata: { name: "batch", namespace },
  models: [{ name: "batch", targetModels }],
  poolRef,
});

new InferenceRoute("qwen", {
  metadata: { namespace },
  parentRefs: [{ name: "inference-gateway" }],
  rules: [{ pools: [{ name: pool.poolName }] }],
});

export const poolName = pool.poolName;
