import type * as pulumi from "@pulumi/pulumi";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Condition } from "./condition.ts";
import type { HTTPRouteFilter } from "./http-route-filter.ts";
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

/** Fields of the standard channel; open are those of the experimental one. */
export interface HTTPRouteSpec {
  /** Gateways, or other parents, that the route attaches to. */
  parentRefs?: pulumi.Input<pulumi.Input<ParentReference>[]>;
  /** Host names the route serves. Default: those of the parent's listeners. */
  hostnames?: pulumi.Input<pulumi.Input<string>[]>;
  rules?: pulumi.Input<pulumi.Input<HTTPRouteRule>[]>;
  /** Experimental channel. */
  useDefaultGateways?: pulumi.Input<string>;
}

export interface ParentReference {
  /** Default gateway.networking.k8s.io. */
  group?: pulumi.Input<string>;
  /** Default Gateway. */
  kind?: pulumi.Input<string>;
  /** Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Listener of the gateway. Default: all. */
  sectionName?: pulumi.Input<string>;
  port?: pulumi.Input<number>;
}

export interface HTTPRouteRule {
  name?: pulumi.Input<string>;
  /** Requests that the rule applies to. Default: all. */
  matches?: pulumi.Input<pulumi.Input<HTTPRouteMatch>[]>;
  /** What is done to requests and responses on their way. */
  filters?: pulumi.Input<pulumi.Input<HTTPRouteFilter>[]>;
  backendRefs?: pulumi.Input<pulumi.Input<HTTPBackendRef>[]>;
  timeouts?: pulumi.Input<HTTPRouteTimeouts>;
  /** Experimental channel. */
  retry?: pulumi.Inputs;
  /** Experimental channel. */
  sessionPersistence?: pulumi.Inputs;
}

/** Requests that have all of these. */
export interface HTTPRouteMatch {
  /** Default: every path. */
  path?: pulumi.Input<HTTPPathMatch>;
  headers?: pulumi.Input<pulumi.Input<HTTPValueMatch>[]>;
  queryParams?: pulumi.Input<pulumi.Input<HTTPValueMatch>[]>;
  /** GET, POST and so on. Default: any. */
  method?: pulumi.Input<string>;
}

export interface HTTPPathMatch {
  /** Exact, PathPrefix or RegularExpression. Default PathPrefix. */
  type?: pulumi.Input<string>;
  /** Default `/`. */
  value?: pulumi.Input<string>;
}

/** A header or a query parameter. */
export interface HTTPValueMatch {
  /** Exact or RegularExpression. Default Exact. */
  type?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  value: pulumi.Input<string>;
}

/** Durations such as `30s`; `0s` is none. */
export interface HTTPRouteTimeouts {
  /** From a request's start to the end of its answer. */
  request?: pulumi.Input<string>;
  /** Time limit of one attempt at the backend. */
  backendRequest?: pulumi.Input<string>;
}

export interface HTTPBackendRef {
  /** Default: the core group. */
  group?: pulumi.Input<string>;
  /** Default Service. */
  kind?: pulumi.Input<string>;
  name: pulumi.Input<string>;
  /** Default: the route's namespace. */
  namespace?: pulumi.Input<string>;
  /** Needed where the backend is a Service. */
  port?: pulumi.Input<number>;
  /** Share of requests against the rule's other backends. Default 1. */
  weight?: pulumi.Input<number>;
  filters?: pulumi.Input<pulumi.Input<HTTPRouteFilter>[]>;
}

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
