import { z } from "zod";
import { gatewayDuration } from "../values/duration.ts";
import { atomicList, dnsSubdomain } from "./field-types.ts";
import { backendReference, hostname, ParentReference } from "./gateway-references.ts";
import { groups } from "./groups.ts";
import { filters, headerName, headerValue, namedList } from "./http-route-filter.ts";
import { defineKind } from "./kind.ts";

/**
 * HTTPRoute, gateway.networking.k8s.io/v1, standard channel: sends requests of a Gateway to backends. Fields, defaults
 * and limits are the same as in the upstream CRD. The API server checks rules that involve several fields.
 */
export const httpRoute = defineKind({
  group: groups.gateway,
  version: "v1",
  kind: "HTTPRoute",
  plural: "httproutes",
  scope: "Namespaced",
  readiness: {
    // A parent has accepted it and resolved its references, so this parent sends requests.
    waitFor:
      'jsonpath={.status.parents[?@.conditions[?@.type == "Accepted" && @.status == "True"] && @.conditions[?@.type == "ResolvedRefs" && @.status == "True"]]}',
  },
});

export const HTTPPathMatch = z.strictObject({
  type: z
    .enum(["Exact", "PathPrefix", "RegularExpression"])
    .default("PathPrefix")
    .describe("Exact, PathPrefix or RegularExpression."),
  value: z.string().max(1024).default("/").describe("Value that the path is compared with."),
});

export const HTTPValueMatch = z
  .strictObject({
    type: z
      .enum(["Exact", "RegularExpression"])
      .default("Exact")
      .describe("Exact or RegularExpression."),
    name: headerName,
    value: headerValue,
  })
  .describe("Header or query parameter to match.");

export const HTTPRouteMatch = z
  .strictObject({
    path: HTTPPathMatch.prefault({ type: "PathPrefix", value: "/" }).describe(
      "Path to match. Default: every path.",
    ),
    headers: namedList(HTTPValueMatch).optional(),
    queryParams: namedList(
      HTTPValueMatch.extend({ value: z.string().min(1).max(1024) }),
    ).optional(),
    method: z
      .enum(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"])
      .optional()
      .describe("HTTP method, such as GET or POST. Default: any."),
  })
  .describe("Conditions on a request, all of which must match.");

/** A duration such as `30s` or `1h30m`. */
const duration = z.string().regex(gatewayDuration, "a duration such as 30s or 1h30m");

const anyPath = () => [{ path: { type: "PathPrefix" as const, value: "/" } }];

export const HTTPBackendRef = z.strictObject({
  ...backendReference,
  weight: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1)
    .meta({ format: "int32" })
    .describe(
      "Weight of the backend: its share is the weight divided by the sum of the rule's weights.",
    ),
  filters: filters.optional(),
});

export const HTTPRouteTimeouts = z
  .strictObject({
    request: duration
      .optional()
      .describe("Time limit from the start of a request to the end of its response."),
    backendRequest: duration.optional().describe("Time limit of one attempt at the backend."),
  })
  .describe("Time limits, as durations such as `30s`; `0s` disables a limit.");

export const HTTPRouteRule = z.strictObject({
  name: dnsSubdomain.min(1).optional(),
  matches: atomicList(HTTPRouteMatch)
    .max(64)
    .prefault(anyPath)
    .describe(
      "Matches of the rule. A request uses the rule if one of them matches. Default: every request.",
    ),
  filters: filters
    .optional()
    .describe("Changes to requests and responses that pass through the rule."),
  backendRefs: atomicList(HTTPBackendRef)
    .max(16)
    .optional()
    .describe("Backends that receive the requests, by weight."),
  timeouts: HTTPRouteTimeouts.optional(),
});

export const HTTPRouteSpec = z.strictObject({
  parentRefs: atomicList(ParentReference)
    .max(32)
    .optional()
    .describe("Gateways, or other parents, that the route attaches to."),
  hostnames: atomicList(hostname)
    .max(16)
    .optional()
    .describe(
      "Host names that the route serves. Default: the host names of the parent's listeners.",
    ),
  rules: atomicList(HTTPRouteRule)
    .max(16)
    .prefault(() => [{ matches: anyPath() }]),
});
