import * as pulumi from "@pulumi/pulumi";
import { InferenceService, router } from "pulumi-inference";
import { engines, model } from "../service.ts";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const hostname = config.get("hostname") ?? "qwen.east.example";
const port = config.getNumber("port") ?? 443;

const service = new InferenceService("qwen", {
  metadata: { namespace },
  ...model,
  roles: [
    engines,
    router({
      export: { mode: "ParentMode" },
      gateway: {
        gatewayClassName: "agentgateway",
        listeners: [
          {
            name: "https",
            port,
            protocol: "HTTPS",
            hostname,
            tls: { certificateRefs: [{ name: "qwen-tls" }] },
          },
        ],
      },
      httproute: {},
    }),
  ],
});

export const host = hostname;
export const poolName = service.poolName;
export const poolNamespace = namespace;
