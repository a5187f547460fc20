import * as pulumi from "@pulumi/pulumi";
import { LLMService } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "chat";
const platform = new pulumi.StackReference(
  config.get("platform") ?? `organization/llm-platform/${pulumi.getStack()}`,
);

// `sql-code-assist` is the name of the model and of the adapter. It has no objective, so its requests are refused first when
// the pool is full.
const service = new LLMService("my-llm-service", {
  metadata: { namespace },
  models: [
    { name: "sql-code-assist" },
    {
      name: "npc-bot",
      objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms" },
      targetModels: [
        { name: "npc-bot-v1", weight: 50 },
        { name: "npc-bot-v2", weight: 50 },
      ],
    },
  ],
  poolRef: [
    { name: platform.getOutput("poolName"), namespace: platform.getOutput("poolNamespace") },
  ],
});

export const name = service.serviceName;
