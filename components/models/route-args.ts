import type * as pulumi from "@pulumi/pulumi";
import type { Metadata } from "../inference-service-args.ts";
import type {
  HTTPRouteMatch,
  HTTPRouteTimeouts,
  ParentReference,
} from "../kubernetes/http-route.ts";
import type { HTTPRouteFilter } from "../kubernetes/http-route-filter.ts";

/** The arguments of an InferenceRoute. */
export interface InferenceRouteArgs {
  /** Name, namespace, labels and annotations. Default: named like the resource, in `default`. */
  metadata?: Metadata;
  /** Gateways to attach to: `name`, and `namespace`, `sectionName`, `port` where needed. */
  parentRefs: ParentReference[];
  /** Host names. Default: those of the gateways' listeners. */
  hostnames?: pulumi.Input<string>[];
  /** At least one, at most 16. */
  rules: InferenceRouteRule[];
}

/** Which requests go to which pools. */
export interface InferenceRouteRule {
  /**
   * Only requests for this model. It becomes a match on the header `X-Gateway-Model-Name`, which a body-based router
   * in front of the Gateway has to set: an HTTPRoute cannot read bodies.
   */
  model?: string;
  /** HTTPRoute matches. Default: the paths of clients' APIs; `[{ path: { value: "/" } }]` serves every path. */
  matches?: HTTPRouteMatch[];
  /** HTTPRoute filters. */
  filters?: HTTPRouteFilter[];
  /** HTTPRoute timeouts. */
  timeouts?: HTTPRouteTimeouts;
  /** Where the requests go, by weight. */
  pools: RoutePool[];
}

/** A pool's share of a rule's requests. */
export interface RoutePool {
  /** Name of the InferencePool: `poolName` of a pool or an InferenceService. */
  name: pulumi.Input<string | undefined>;
  /** Default: the route's. A pool elsewhere needs a ReferenceGrant in its namespace. */
  namespace?: pulumi.Input<string>;
  /** Port of the pool where it has several. */
  port?: number;
  /** 0 to 1,000,000: the share is weight divided by the sum of weights. Default 1. */
  weight?: number;
}
