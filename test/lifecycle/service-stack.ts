import * as pulumi from "@pulumi/pulumi";
import {
  ImportedInferencePool,
  InferenceService,
  type InferenceServiceArgs,
} from "../../components/index.ts";
import { openStack, type Stack } from "../../testing/programs/pulumi-stack.ts";
import { decoder, pairTemplate, prefiller, router } from "../../testing/samples/sample-service.ts";

export interface ServiceStackOptions {
  kubeconfig: string;
  /** The folder of the state. */
  directory: string;
  namespace: string;
  /** `first` is created; `second` scales, changes an image and drops the router and the route to other clusters. */
  edition: "first" | "second";
}

/** A secret that no stored state may contain in clear text. */
export const token = "hf_not-for-the-disk";

/** A service with prefill, decode and a secret, on its way from one edition to the next. */
export function serviceStack({
  kubeconfig,
  directory,
  namespace,
  edition,
}: ServiceStackOptions): Stack {
  return openStack({
    project: "p",
    stack: "s",
    program: {
      async run() {
        new InferenceService("svc", argsOf(edition, namespace));
        if (edition === "first")
          new ImportedInferencePool("svc-pool", {
            metadata: { namespace },
            gateway: { type: "agentgateway" },
            parentsAgent: { probe: {} },
            parentRefs: [{ name: "gateway" }],
          });
      },
    },
    state: directory,
    kubernetes: { kubeconfig },
  });
}

function argsOf(edition: "first" | "second", namespace: string): InferenceServiceArgs {
  const env = [{ name: "HF_TOKEN", value: pulumi.secret(token) }];
  const roles =
    edition === "first"
      ? [
          prefiller({ template: pairTemplate(8, { env }) }),
          decoder({ replicas: 2, multinode: { nodeCount: 2 } }),
          router(),
        ]
      : [
          prefiller({ template: pairTemplate(8, { env, image: "vllm/vllm-openai:v0.11.1" }) }),
          decoder({ replicas: 1, multinode: { nodeCount: 2 } }),
        ];
  return { metadata: { name: "svc", namespace }, roles } as InferenceServiceArgs;
}
