import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition } from "./condition.ts";
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

export interface InferencePoolSpec {
  /** Pods of the pool. */
  selector: pulumi.Input<{ matchLabels: pulumi.Input<Record<string, pulumi.Input<string>>> }>;
  /** Ports that the model servers listen on. */
  targetPorts: pulumi.Input<pulumi.Input<{ number: pulumi.Input<number> }>[]>;
  endpointPickerRef: pulumi.Input<EndpointPickerRef>;
  /** Protocol of the model servers. Default http. */
  appProtocol?: pulumi.Input<"http" | "kubernetes.io/h2c">;
}

export interface EndpointPickerRef {
  /** Default: the core group. */
  group?: pulumi.Input<string>;
  /** Default Service. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Needed where the picker is a Service. */
  port?: pulumi.Input<{ number: pulumi.Input<number> }>;
  /** What happens to requests while the picker is gone. Default FailClose. */
  failureMode?: pulumi.Input<"FailOpen" | "FailClose">;
}

export interface InferencePoolStatus {
  parents?: InferencePoolParentStatus[];
}

export interface InferencePoolParentStatus {
  parentRef: { group?: string; kind?: string; name: string; namespace?: string };
  controllerName?: string;
  /** Accepted, ResolvedRefs. */
  conditions?: Condition[];
}
