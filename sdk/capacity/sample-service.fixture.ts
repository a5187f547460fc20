import type { InferenceServiceSpecInput } from "../spec/inference-service.ts";
import { parseInferenceService } from "../validate/inference-service.ts";

/** Short form of a role, for tests. */
export interface SampleRole {
  name: string;
  componentType: "worker" | "prefiller" | "decoder";
  replicas: number;
  minReplicas?: number;
  nodeCount?: number;
  distinctNodes?: boolean;
  gpus: number;
}

export type SampleSettings = Omit<InferenceServiceSpecInput, "roles">;

export function sampleService(roles: readonly SampleRole[], settings: SampleSettings = {}) {
  return parseInferenceService({
    metadata: { name: "sample" },
    spec: { roles: roles.map(roleOf), ...settings },
  });
}

function roleOf({ nodeCount = 1, distinctNodes = false, gpus, ...role }: SampleRole) {
  const limits = gpus === 0 ? {} : { "nvidia.com/gpu": String(gpus) };
  return {
    ...role,
    ...(nodeCount > 1 && { multinode: { nodeCount, distinctNodes } }),
    template: {
      spec: {
        containers: [
          {
            name: "vllm",
            image: "vllm/vllm-openai:v0.30.0",
            args: ["--kv-transfer-config.kv_connector", "NixlConnector"],
            resources: { limits },
          },
        ],
      },
    },
  };
}
