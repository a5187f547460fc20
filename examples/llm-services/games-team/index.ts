import * as pulumi from "@pulumi/pulumi";
import { LLMService } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "games";
const platform = new pulumi.StackReference(
  config.get("platform") ?? `organization/llm-platform/${pulumi.getStack()}`,
);

// The second name is reserved: no other service can register it, and requests for it get an error.
const service = new LLMService("dungeon-master", {
  metadata: { namespace },
  models: [
    { name: "dungeon-master", targetModels: [{ name: "dungeon-master-v1" }] },
    { name: "dungeon-master-next", targetModels: [{ name: "dungeon-master-v2", weight: 0 }] },
  ],
  poolRef: [
    { name: platform.getOutput("poolName"), namespace: platform.getOutput("poolNamespace") },
  ],
});

export const name = service.serviceName;
