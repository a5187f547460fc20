import type { types } from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../sdk/kubernetes/kinds.ts";
import type { Condition } from "./condition.ts";
import { kindOptions, type ObjectMeta } from "./kind-options.ts";
import { objectInputs } from "./object-inputs.ts";

const facts = kinds.Gateway;

/**
 * A Gateway (`gateway.networking.k8s.io/v1`): listeners that a gateway controller serves and routes attach to.
 * https://gateway-api.sigs.k8s.io
 */
export class Gateway extends pulumi.CustomResource {
  static readonly __pulumiType = `kubernetes:${facts.apiVersion}:${facts.kind}` as const;

  declare readonly apiVersion: pulumi.Output<typeof facts.apiVersion>;
  declare readonly kind: pulumi.Output<typeof facts.kind>;
  declare readonly metadata: pulumi.Output<types.output.meta.v1.ObjectMeta>;
  declare readonly spec: pulumi.Output<pulumi.Unwrap<GatewaySpec>>;
  /** What the gateway controller last reported; undefined before it has taken up the object. */
  declare readonly status: pulumi.Output<GatewayStatus | undefined>;

  /** Reads an existing object. `id` is `namespace/name`. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): Gateway {
    return new Gateway(name, undefined, { ...opts, id });
  }

  /** Whether a value is a Gateway, whichever copy of this package made it. */
  static override isInstance(value: unknown): value is Gateway {
    return (
      (value as { __pulumiType?: unknown } | undefined | null)?.__pulumiType ===
      Gateway.__pulumiType
    );
  }

  constructor(name: string, args?: GatewayArgs, opts?: pulumi.CustomResourceOptions) {
    super(
      Gateway.__pulumiType,
      name,
      objectInputs(facts, args, opts),
      kindOptions(facts, args?.metadata, opts),
    );
  }
}

export interface GatewayArgs {
  metadata?: pulumi.Input<ObjectMeta>;
  spec: pulumi.Input<GatewaySpec>;
}

export interface GatewaySpec {
  /** Which controller serves the gateway. */
  gatewayClassName: pulumi.Input<string>;
  listeners: pulumi.Input<pulumi.Input<GatewayListener>[]>;
  addresses?: pulumi.Input<
    pulumi.Input<{ type?: pulumi.Input<string>; value?: pulumi.Input<string> }>[]
  >;
  infrastructure?: pulumi.Input<Record<string, unknown>>;
  [field: string]: unknown;
}

export interface GatewayListener {
  name: pulumi.Input<string>;
  hostname?: pulumi.Input<string>;
  port: pulumi.Input<number>;
  /** HTTP, HTTPS, TLS, TCP or UDP, or a word of the controller's own. */
  protocol: pulumi.Input<string>;
  tls?: pulumi.Input<Record<string, unknown>>;
  allowedRoutes?: pulumi.Input<Record<string, unknown>>;
}

export interface GatewayStatus {
  addresses?: Array<{ type?: string; value: string }>;
  /** Accepted, Programmed. */
  conditions?: Condition[];
  listeners?: Array<{
    name: string;
    attachedRoutes: number;
    conditions: Condition[];
    supportedKinds?: Array<{ group?: string; kind: string }>;
  }>;
}
