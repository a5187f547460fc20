import * as pulumi from "@pulumi/pulumi";
import { huggingFace, InferenceService, router, vllm, worker } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const gatewayClassName = config.get("gatewayClassName") ?? "agentgateway";
const gatewayPort = config.getNumber("gatewayPort") ?? 80;

const service = new InferenceService("quickstart", {
  metadata: { namespace },
  model: huggingFace("Qwen/Qwen2.5-0.5B-Instruct"),
  accelerator: "cpu",
  engine: vllm({ maxModelLen: 4_096 }),
  roles: [
    worker({ name: "inference" }),
    router({
      gateway: {
        gatewayClassName,
        listeners: [{ name: "http", port: gatewayPort, protocol: "HTTP" }],
      },
    }),
  ],
});

/** Base URL of the OpenAI API, once the gateway has an address. */
export const url = service.url;
/** The gateway that serves the URL, or the reason why there is none yet. */
export const urlStatus = service.urlStatus;
