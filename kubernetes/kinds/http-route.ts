import { z } from "zod";
import { gatewayDuration } from "../values/duration.ts";
import { atomicList, dnsSubdomain, objectName } from "./field-types.ts";
import { backendReference, hostname, parentReference } from "./gateway-references.ts";
import { groups } from "./groups.ts";
import { filters, headerName, headerValue, namedList } from "./http-route-filter.ts";
import { defineKind } from "./kind.ts";

/**
 * HTTPRoute, gateway.networking.k8s.io/v1, standard channel: which requests of a Gateway go where.
 * Fields, defaults and bounds are those of the upstream CRD; the rules that tie several fields together
 * are left to the API server.
 */
export const httpRoute = defineKind({
  group: groups.gateway,
  version: "v1",
  kind: "HTTPRoute",
  plural: "httproutes",
  scope: "Namespaced",
  readiness: {
    // Some parent has accepted it and found what it refers to: that parent sends requests.
    waitFor:
      'jsonpath={.status.parents[?@.conditions[?@.type == "Accepted" && @.status == "True"] && @.conditions[?@.type == "ResolvedRefs" && @.status == "True"]]}',
  },
});

const matchType = z.enum(["Exact", "RegularExpression"]).default("Exact");

const match = z.strictObject({
  path: z
    .strictObject({
      type: z.enum(["Exact", "PathPrefix", "RegularExpression"]).default("PathPrefix"),
      value: z.string().max(1024).default("/"),
    })
    .prefault({ type: "PathPrefix", value: "/" }),
  headers: namedList(
    z.strictObject({ type: matchType, name: headerName, value: headerValue }),
  ).optional(),
  queryParams: namedList(
    z.strictObject({ type: matchType, name: headerName, value: z.string().min(1).max(1024) }),
  ).optional(),
  method: z
    .enum(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"])
    .optional(),
});

/** A duration such as `30s` or `1h30m`. */
const duration = z.string().regex(gatewayDuration, "a duration such as 30s or 1h30m");

const anyPath = () => [{ path: { type: "PathPrefix" as const, value: "/" } }];

const rule = z.strictObject({
  name: dnsSubdomain.min(1).optional(),
  matches: atomicList(match)
    .max(64)
    .prefault(anyPath)
    .describe("A request takes the rule when one of the matches fits."),
  filters: filters.optional(),
  backendRefs: atomicList(
    z.strictObject({
      ...backendReference,
      name: objectName,
      weight: z.int().min(0).max(1_000_000).default(1).meta({ format: "int32" }),
      filters: filters.optional(),
    }),
  )
    .max(16)
    .optional()
    .describe("The backends that requests go to, by weight."),
  timeouts: z
    .strictObject({ request: duration.optional(), backendRequest: duration.optional() })
    .optional(),
});

export const HttpRouteSpec = z.strictObject({
  parentRefs: atomicList(parentReference)
    .max(32)
    .optional()
    .describe("Gateways that the route attaches to."),
  hostnames: atomicList(hostname).max(16).optional(),
  rules: atomicList(rule)
    .max(16)
    .prefault(() => [{ matches: anyPath() }]),
});

/** The spec as written. */
export type HttpRouteSpec = z.input<typeof HttpRouteSpec>;
