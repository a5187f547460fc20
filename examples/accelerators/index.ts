import * as pulumi from "@pulumi/pulumi";
import { huggingFace, InferenceService, router, vllm, worker } from "pulumi-inference";

/** Accelerators by vendor. The plan selects vLLM's image and the resource of the device plugin for each. */
const accelerators = { nvidia: "h100-sxm", amd: "mi300x", ascend: "ascend-910b" } as const;

const config = new pulumi.Config();
const make = config.get<keyof typeof accelerators>("make") ?? "amd";

const service = new InferenceService("qwen", {
  metadata: { namespace: config.get("namespace") ?? "default" },
  model: huggingFace("Qwen/Qwen3-32B"),
  accelerator: accelerators[make],
  engine: vllm({ tensorParallel: 2 }),
  roles: [
    worker({ name: "inference", replicas: 2 }),
    router({ httproute: { parentRefs: [{ name: "inference-gateway" }] } }),
  ],
});

export const endpoints = service.endpoints;
