import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition, HTTPRouteSpec } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.HTTPRoute;

/**
 * HTTPRoute (`gateway.networking.k8s.io/v1`): sends requests of a Gateway to backends. https://gateway-api.sigs.k8s.io
 *
 * ```ts
 * new HTTPRoute("chat", {
 *   metadata: { namespace: "prod" },
 *   spec: {
 *     parentRefs: [{ name: "inference-gateway" }],
 *     rules: [{ backendRefs: [{ group: "inference.networking.k8s.io", kind: "InferencePool", name: "qwen" }] }],
 *   },
 * });
 * ```
 */
export class HTTPRoute extends TypedObject<typeof facts, HTTPRouteSpec, HTTPRouteStatus> {
  static readonly __pulumiType = resourceType(facts);

  /** Status last reported by gateways, per parent; undefined before a gateway has accepted the route. */
  declare readonly status: pulumi.Output<HTTPRouteStatus | undefined>;

  constructor(name: string, args?: HTTPRouteArgs, opts?: pulumi.CustomResourceOptions) {
    super(facts, name, args, opts);
  }
}

export type HTTPRouteArgs = ObjectArgs<HTTPRouteSpec>;

export interface HTTPRouteStatus {
  parents?: RouteParentStatus[];
}

export interface RouteParentStatus {
  parentRef: {
    group?: string;
    kind?: string;
    namespace?: string;
    name: string;
    sectionName?: string;
  };
  controllerName: string;
  /** Accepted, ResolvedRefs. */
  conditions?: Condition[];
}
