import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition, HTTPRouteSpec } from "../generated/kubernetes.ts";
import { type ObjectArgs, resourceType, TypedObject } from "./typed-object.ts";

const facts = kinds.HTTPRoute;

/**
 * An HTTPRoute (`gateway.networking.k8s.io/v1`): which requests of a Gateway go to which backend.
 * https://gateway-api.sigs.k8s.io
 */
export class HTTPRoute extends TypedObject<typeof facts, HTTPRouteSpec, HTTPRouteStatus> {
  static readonly __pulumiType = resourceType(facts);

  /** What gateways last reported, per parent; undefined before one has taken up the route. */
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
