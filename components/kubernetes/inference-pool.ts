import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { InferencePoolSpec, InferencePoolStatus } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.InferencePool;

/**
 * An InferencePool (`inference.networking.k8s.io/v1`): model servers that share a model, and the endpoint picker
 * that chooses among them for every request. An HTTPRoute names it as a backend.
 * https://gateway-api-inference-extension.sigs.k8s.io
 */
export class InferencePool extends TypedObject<
  typeof facts,
  InferencePoolSpec,
  InferencePoolStatus
> {
  static readonly __pulumiType = resourceType(facts);

  /** What gateways last reported, per parent; undefined before one has taken up the pool. */
  declare readonly status: pulumi.Output<InferencePoolStatus | undefined>;

  constructor(name: string, args?: InferencePoolArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type InferencePoolArgs = ObjectArgs<InferencePoolSpec>;
