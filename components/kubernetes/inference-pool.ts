import type { types } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition } from "./condition.ts";
import { kindOptions, type ObjectMeta } from "./kind-options.ts";
import { objectInputs } from "./object-inputs.ts";

const facts = kinds.InferencePool;

/**
 * An InferencePool (`inference.networking.k8s.io/v1`): model servers that share a model, and the endpoint picker
 * that chooses among them for every request. An HTTPRoute names it as a backend.
 * https://gateway-api-inference-extension.sigs.k8s.io
 */
export class InferencePool extends pulumi.CustomResource {
  static readonly __pulumiType = `kubernetes:${facts.apiVersion}:${facts.kind}` as const;

  declare readonly apiVersion: pulumi.Output<typeof facts.apiVersion>;
  declare readonly kind: pulumi.Output<typeof facts.kind>;
  declare readonly metadata: pulumi.Output<types.output.meta.v1.ObjectMeta>;
  declare readonly spec: pulumi.Output<pulumi.Unwrap<InferencePoolSpec>>;
  /** What gateways last reported, per parent; undefined before one has taken up the pool. */
  declare readonly status: pulumi.Output<InferencePoolStatus | undefined>;

  /** Reads an existing object. `id` is `namespace/name`. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): InferencePool {
    return new InferencePool(name, undefined, { ...opts, id });
  }

  /** Whether a value is an InferencePool, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is InferencePool {
    return (
      (value as { __pulumiType?: unknown } | undefined | null)?.__pulumiType ===
      InferencePool.__pulumiType
    );
  }

  constructor(name: string, args?: InferencePoolArgs, opts?: pulumi.CustomResourceOptions) {
    super(
      InferencePool.__pulumiType,
      name,
      objectInputs(facts, args, opts),
      kindOptions(facts, args?.metadata, opts),
    );
  }
}

export interface InferencePoolArgs {
  metadata?: pulumi.Input<ObjectMeta>;
  spec: pulumi.Input<InferencePoolSpec>;
}

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
