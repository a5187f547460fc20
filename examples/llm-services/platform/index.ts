import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { InferenceRoute, LLMServerPool } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const teams = config.getObject<string[]>("teams") ?? ["chat", "games"];

/** Adapters for the models of the teams. The folder of each on the claim `adapters` has the same name. */
const adapters = [
  "sql-code-assist",
  ...["npc-bot-v1", "npc-bot-v2"],
  ...["dungeon-master-v1", "dungeon-master-v2"],
];

const labels = { app: "qwen-vllm" };
new k8s.apps.v1.Deployment("qwen-vllm", {
  metadata: { name: "qwen-vllm", namespace },
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
              ...["--enable-lora", "--max-loras", "4", "--max-lora-rank", "32"],
              "--lora-modules",
              ...adapters.map((adapter) => `${adapter}=/adapters/${adapter}`),
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

const pool = new LLMServerPool("qwen-pool", {
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
