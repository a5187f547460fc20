import * as pulumi from "@pulumi/pulumi";
import { InferenceService } from "pulumi-inference";

/** Image of vLLM for each make, the words that start it there, and the resource of the make's device plugin. */
const makes = {
  nvidia: { image: "vllm/vllm-openai:v0.32.0", start: [], resource: "nvidia.com/gpu" },
  amd: { image: "vllm/vllm-openai-rocm:v0.32.0", start: [], resource: "amd.com/gpu" },
  // The image starts no engine by itself: the arguments begin with the program.
  ascend: {
    image: "quay.io/ascend/vllm-ascend:v0.23.0",
    start: ["vllm", "serve"],
    resource: "huawei.com/Ascend910",
  },
};

const config = new pulumi.Config();
const make = config.get<keyof typeof makes>("make") ?? "amd";
const { image, start, resource } = makes[make];

const service = new InferenceService("qwen", {
  metadata: { namespace: config.get("namespace") ?? "default" },
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
              image,
              args: [...start, "--model", "Qwen/Qwen3-32B", "--tensor-parallel-size", "2"],
              ports: [{ name: "http", containerPort: 8000 }],
              resources: { limits: { [resource]: "2" } },
              volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }],
            },
          ],
          volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "8Gi" } }],
        },
      },
    },
    {
      name: "router",
      componentType: "router",
      httproute: { parentRefs: [{ name: "inference-gateway" }] },
    },
  ],
});

export const endpoints = service.endpoints;
