import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { InferenceRoute, LLMServerPool, LLMService, ModelRouter } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const gatewayType = config.get<"istio" | "gke" | "envoy-gateway" | "agentgateway" | "generic">(
  "gatewayType",
);

/** Returns the arguments that load adapters from the claim `adapters`, each from the folder with its name. */
const loadedBy = (adapters: readonly string[]) =>
  adapters.length === 0
    ? []
    : [
        ...["--enable-lora", "--max-loras", "2", "--max-lora-rank", "32"],
        ...["--lora-modules", ...adapters.map((adapter) => `${adapter}=/adapters/${adapter}`)],
      ];

/** Creates model servers, their pool, and an LLMService that registers the model names. */
function serve(name: string, base: string, adapters: readonly string[] = []): LLMServerPool {
  const labels = { app: name };
  new k8s.apps.v1.Deployment(name, {
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 90,
          containers: [
            {
              name: "vllm",
              image: "vllm/vllm-openai:v0.32.0",
              args: ["--model", base, "--shutdown-timeout", "60", ...loadedBy(adapters)],
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
  const pool = new LLMServerPool(name, { metadata: { namespace }, modelServerSelector: labels });
  new LLMService(name, {
    metadata: { name, namespace },
    models: (adapters.length > 0 ? adapters : [base]).map((model) => ({ name: model })),
    poolRef: [{ name: pool.poolName }],
  });
  return pool;
}

const small = serve("small", "Qwen/Qwen3-8B");
const large = serve("large", "Qwen/Qwen3-32B");
const adapters = serve("adapters", "Qwen/Qwen3-4B", ["sql-assist", "review-assist"]);

const router = new ModelRouter("models", {
  metadata: { namespace },
  gateway: { name: "inference-gateway", type: gatewayType ?? "istio" },
});

new InferenceRoute("models", {
  metadata: { namespace },
  parentRefs: [{ name: "inference-gateway" }],
  rules: [
    { model: "Qwen/Qwen3-8B", pools: [{ name: small.poolName }] },
    { model: "Qwen/Qwen3-32B", pools: [{ name: large.poolName }] },
    // One rule matches every adapter, including adapters that teams register later.
    { baseModel: "Qwen/Qwen3-4B", pools: [{ name: adapters.poolName }] },
  ],
});

export const readiness = router.readiness;
