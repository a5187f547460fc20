import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition } from "./condition.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.Gateway;

/**
 * A Gateway (`gateway.networking.k8s.io/v1`): listeners that a gateway controller serves and routes attach to.
 * https://gateway-api.sigs.k8s.io
 */
export class Gateway extends TypedObject<typeof facts, GatewaySpec, GatewayStatus> {
  static readonly __pulumiType = resourceType(facts);

  /** What the gateway controller last reported; undefined before it has taken up the object. */
  declare readonly status: pulumi.Output<GatewayStatus | undefined>;

  constructor(name: string, args?: GatewayArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type GatewayArgs = ObjectArgs<GatewaySpec>;

/** Fields of the standard channel; open are those of the experimental one. */
export interface GatewaySpec {
  /** Which controller serves the gateway. */
  gatewayClassName: pulumi.Input<string>;
  /** Ports and protocols that routes attach to. At least one. */
  listeners: pulumi.Input<pulumi.Input<GatewayListener>[]>;
  /** Addresses that the controller is asked for. Default: it chooses. */
  addresses?: pulumi.Input<pulumi.Input<GatewayAddress>[]>;
  /** Marks and parameters of what the controller makes for the gateway. */
  infrastructure?: pulumi.Input<GatewayInfrastructure>;
  /** Experimental channel. */
  allowedListeners?: pulumi.Inputs;
  /** Experimental channel. */
  backendTLS?: pulumi.Inputs;
  /** Experimental channel. */
  defaultScope?: pulumi.Input<string>;
  /** Experimental channel. */
  tls?: pulumi.Inputs;
}

export interface GatewayAddress {
  /** IPAddress, Hostname or a word of the controller's own. Default IPAddress. */
  type?: pulumi.Input<string>;
  /** Default: the controller chooses one of the type. */
  value?: pulumi.Input<string>;
}

export interface GatewayInfrastructure {
  labels?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  annotations?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  parametersRef?: pulumi.Input<LocalReference>;
}

/** An object in the same namespace. */
export interface LocalReference {
  group: pulumi.Input<string>;
  kind: pulumi.Input<string>;
  name: pulumi.Input<string>;
}

export interface GatewayListener {
  /** Unique in the gateway; a route's `sectionName`. */
  name: pulumi.Input<string>;
  /** Host names that the listener takes. Default: any. */
  hostname?: pulumi.Input<string>;
  port: pulumi.Input<number>;
  /** HTTP, HTTPS, TLS, TCP or UDP, or a word of the controller's own. */
  protocol: pulumi.Input<string>;
  /** Needed with HTTPS and TLS. */
  tls?: pulumi.Input<ListenerTls>;
  /** Routes that may attach. Default: HTTPRoutes and the like of the gateway's own namespace. */
  allowedRoutes?: pulumi.Input<AllowedRoutes>;
}

export interface ListenerTls {
  /** Terminate or Passthrough. Default Terminate. */
  mode?: pulumi.Input<string>;
  /** Secrets with the certificates that are served. */
  certificateRefs?: pulumi.Input<pulumi.Input<CertificateReference>[]>;
  /** Settings of the controller's own. */
  options?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Experimental channel. */
  frontendValidation?: pulumi.Inputs;
}

export interface CertificateReference {
  /** Default: the core group. */
  group?: pulumi.Input<string>;
  /** Default Secret. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Default: the gateway's. */
  namespace?: pulumi.Input<string>;
}

export interface AllowedRoutes {
  /** Namespaces of the routes. Default: the gateway's own. */
  namespaces?: pulumi.Input<RouteNamespaces>;
  /** Kinds of the routes. Default: those of the listener's protocol. */
  kinds?: pulumi.Input<pulumi.Input<RouteGroupKind>[]>;
}

export interface RouteNamespaces {
  /** All, Same or Selector. Default Same. */
  from?: pulumi.Input<string>;
  /** Labels of namespaces, where `from` is Selector. */
  selector?: pulumi.Input<types.input.meta.v1.LabelSelector>;
}

export interface RouteGroupKind {
  /** Default gateway.networking.k8s.io. */
  group?: pulumi.Input<string>;
  kind: pulumi.Input<string>;
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
