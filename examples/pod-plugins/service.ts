import { definePodPlugin, type InferenceServiceArgs } from "pulumi-inference";
import { z } from "zod";

// A platform rule for every engine: service links would let a Service named vllm set VLLM_PORT in each pod.
export const serviceLinks = definePodPlugin({
  name: "service-links",
  config: z.strictObject({ enabled: z.boolean() }),
  onPodCreate({ pod }, { enabled }) {
    pod.spec.enableServiceLinks ??= enabled;
  },
});

const engine = (...args: string[]) => ({
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.32.0",
        // The path is the mount of model-cache; clients use the served name.
        args: ["--model", "/models", "--served-model-name", "Qwen/Qwen3-32B", ...args],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { requests: { cpu: "8", memory: "64Gi" }, limits: { memory: "64Gi" } },
      },
    ],
  },
});

export const args: InferenceServiceArgs = {
  roles: [
    {
      name: "chat",
      componentType: "worker",
      replicas: 2,
      template: engine("--tensor-parallel-size", "2"),
    },
    {
      name: "long",
      componentType: "worker",
      multinode: { nodeCount: 2 },
      template: engine("--tensor-parallel-size", "16"),
    },
  ],
  plugins: [
    { name: "nvidia-gpu-defaults", config: { gpuCount: 2 }, scope: { roles: ["chat"] } },
    {
      name: "nvidia-gpu-defaults",
      config: { runtimeClassName: "nvidia", gpuCount: 8 },
      scope: { roles: ["long"] },
    },
    {
      name: "model-cache",
      config: { from: "oci", reference: "registry.example/models/qwen3-32b:1.0.0" },
    },
    { name: "shm", config: { sizeLimit: "16Gi" } },
    { name: "topology-spread", scope: { roles: ["chat"] } },
    { name: "service-links", config: { enabled: false } },
  ],
};
