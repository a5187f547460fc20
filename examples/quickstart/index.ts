import * as pulumi from "@pulumi/pulumi";
import { InferenceService } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const gatewayClassName = config.get("gatewayClassName") ?? "agentgateway";
const gatewayPort = config.getNumber("gatewayPort") ?? 80;

const service = new InferenceService("quickstart", {
  metadata: { namespace },
  roles: [
    {
      name: "inference",
      componentType: "worker",
      template: {
        spec: {
          containers: [
            {
              name: "vllm",
              image: "vllm/vllm-openai-cpu:v0.32.0",
              args: ["--model", "Qwen/Qwen2.5-0.5B-Instruct", "--max-model-len", "4096"],
              // GiB of the KV cache; weights and work need about 4 GiB beside it.
              env: [{ name: "VLLM_CPU_KVCACHE_SPACE", value: "1" }],
              ports: [{ containerPort: 8000, name: "http" }],
              resources: { requests: { cpu: "2", memory: "6Gi" }, limits: { memory: "8Gi" } },
            },
          ],
        },
      },
    },
    {
      name: "router",
      componentType: "router",
      gateway: {
        gatewayClassName,
        listeners: [{ name: "http", port: gatewayPort, protocol: "HTTP" }],
      },
    },
  ],
});

/** Base URL of the OpenAI API, once the gateway has an address. */
export const url = service.url;
/** Which gateway serves it, or what is awaited. */
export const urlStatus = service.urlStatus;
