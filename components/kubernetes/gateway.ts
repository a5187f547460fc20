import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition, GatewaySpec } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.Gateway;

/**
 * Gateway (`gateway.networking.k8s.io/v1`): listeners that a gateway controller serves and that routes attach to.
 * https://gateway-api.sigs.k8s.io
 *
 * ```ts
 * new Gateway("inference", {
 *   metadata: { name: "inference-gateway", namespace: "prod" },
 *   spec: { gatewayClassName: "istio", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
 * });
 * ```
 */
export class Gateway extends TypedObject<typeof facts, GatewaySpec, GatewayStatus> {
  static readonly __pulumiType = resourceType(facts);

  /** Status last reported by the gateway controller; undefined before the controller has accepted the object. */
  declare readonly status: pulumi.Output<GatewayStatus | undefined>;

  constructor(name: string, args?: GatewayArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type GatewayArgs = ObjectArgs<GatewaySpec>;

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
