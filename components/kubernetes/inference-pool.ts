import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { InferencePoolSpec, InferencePoolStatus } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.InferencePool;

/**
 * InferencePool (`inference.networking.k8s.io/v1`): model servers of one model, and the endpoint picker that selects
 * one of them for each request. An HTTPRoute refers to it as a backend.
 * https://gateway-api-inference-extension.sigs.k8s.io
 *
 * ```ts
 * new InferencePool("qwen", {
 *   spec: {
 *     selector: { matchLabels: { app: "qwen" } },
 *     targetPorts: [{ number: 8000 }],
 *     endpointPickerRef: { name: "qwen-epp", port: { number: 9002 } },
 *   },
 * });
 * ```
 */
export class InferencePool extends TypedObject<
  typeof facts,
  InferencePoolSpec,
  InferencePoolStatus
> {
  static readonly __pulumiType = resourceType(facts);

  /** Status last reported by gateways, per parent; undefined before a gateway has accepted the pool. */
  declare readonly status: pulumi.Output<InferencePoolStatus | undefined>;

  constructor(name: string, args?: InferencePoolArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type InferencePoolArgs = ObjectArgs<InferencePoolSpec>;
