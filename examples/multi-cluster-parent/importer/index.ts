import * as pulumi from "@pulumi/pulumi";
import { ImportedInferencePool, InferenceService, router } from "pulumi-inference";
import { engines, model } from "../service.ts";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const hostname = config.get("hostname") ?? "qwen.east.example";
const exportedWeight = config.getNumber("exportedWeight") ?? 10;

const service = new InferenceService("qwen", {
  metadata: { namespace },
  ...model,
  roles: [engines, router()],
});

// A pool has the same name in every cluster of the set.
new ImportedInferencePool(
  "qwen-pool",
  {
    metadata: { namespace },
    gateway: { type: "agentgateway" },
    local: { weight: 100 - exportedWeight },
    weight: exportedWeight,
    // The agent reads the addresses of gateways from the import. A gateway that does not answer gets no requests.
    parentsAgent: {
      tls: { caConfigMap: "east-authorities", hostname },
      probe: { hostname },
    },
    parentRefs: [{ name: "inference-gateway" }],
  },
  { dependsOn: service },
);

export const poolName = service.poolName;
