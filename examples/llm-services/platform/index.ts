import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { InferenceRoute, LLMServerPool } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const teams = config.getObject<string[]>("teams") ?? ["chat", "games"];

const labels = { app: "llama-2-vllm" };
new k8s.apps.v1.Deployment("llama-2-vllm", {
  metadata: { name: "llama-2-vllm", namespace },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: "vllm",
            image: "vllm/vllm-openai:v0.11.0",
            args: ["--model", "meta-llama/Llama-2-7b-hf", "--enable-lora"],
            ports: [{ name: "http", containerPort: 8000 }],
            resources: { limits: { "nvidia.com/gpu": "1" } },
          },
        ],
      },
    },
  },
});

const pool = new LLMServerPool("llama-2-pool", {
  metadata: { namespace },
  modelServerSelector: labels,
  endpointPicker: { strategy: "queue-size" },
  allowedNamespaces: teams,
});

new InferenceRoute("llm", {
  metadata: { namespace },
  parentRefs: [{ name: "inference-gateway" }],
  rules: [{ pools: [{ name: pool.poolName }] }],
});

export const poolName = pool.poolName;
export const poolNamespace = pool.namespace;
