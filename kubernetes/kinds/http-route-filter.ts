import { z } from "zod";
import { atomicList, count, dnsSubdomain, portNumber, positiveCount } from "./field-types.ts";
import { backendReference, LocalReference } from "./gateway-references.ts";

/** Changes of an HTTPRoute to a request or a response (gateway-api, HTTPRouteFilter). */

export const headerName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$/, "a header name");

export const headerValue = z.string().min(1).max(4096);

/** Returns the schema of a list with one entry per name. */
export function namedList<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .max(16)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });
}

export const HTTPHeader = z.strictObject({ name: headerName, value: headerValue });

const headers = namedList(HTTPHeader).optional();

export const HTTPHeaderModifier = z.strictObject({
  set: headers.describe("Headers to set. They replace existing headers of the same name."),
  add: headers,
  remove: z
    .array(z.string())
    .max(16)
    .meta({ "x-kubernetes-list-type": "set" })
    .optional()
    .describe("Names of headers to remove."),
});

export const HTTPPathModifier = z.strictObject({
  type: z
    .enum(["ReplaceFullPath", "ReplacePrefixMatch"])
    .describe("ReplaceFullPath or ReplacePrefixMatch: which of the other two fields is set."),
  replaceFullPath: z.string().max(1024).optional(),
  replacePrefixMatch: z.string().max(1024).optional(),
});

export const MirrorBackendRef = z.strictObject(backendReference);

export const MirrorFraction = z.strictObject({
  numerator: count,
  denominator: positiveCount.default(100).describe("Denominator of the fraction."),
});

export const HTTPRequestMirror = z
  .strictObject({
    backendRef: MirrorBackendRef,
    percent: count.max(100).optional(),
    fraction: MirrorFraction.optional(),
  })
  .describe(
    "Backend that receives a copy of the requests. Its responses are discarded. Default: all requests are copied.",
  );

export const HTTPRequestRedirect = z.strictObject({
  scheme: z.enum(["http", "https"]).optional().describe("http or https."),
  hostname: dnsSubdomain.min(1).optional(),
  path: HTTPPathModifier.optional(),
  port: portNumber.optional(),
  statusCode: z
    .union([z.literal(301), z.literal(302)])
    .default(302)
    .describe("301 or 302."),
});

export const HTTPUrlRewrite = z.strictObject({
  hostname: dnsSubdomain.min(1).optional(),
  path: HTTPPathModifier.optional(),
});

export const HTTPRouteFilter = z.strictObject({
  type: z
    .enum([
      "RequestHeaderModifier",
      "ResponseHeaderModifier",
      "RequestMirror",
      "RequestRedirect",
      "URLRewrite",
      "ExtensionRef",
    ])
    .describe(
      "RequestHeaderModifier, ResponseHeaderModifier, RequestMirror, RequestRedirect, URLRewrite or ExtensionRef: which of the other fields is set.",
    ),
  requestHeaderModifier: HTTPHeaderModifier.optional(),
  responseHeaderModifier: HTTPHeaderModifier.optional(),
  requestMirror: HTTPRequestMirror.optional(),
  requestRedirect: HTTPRequestRedirect.optional(),
  urlRewrite: HTTPUrlRewrite.optional(),
  extensionRef: LocalReference.optional().describe(
    "Filter object of a kind that the gateway's controller defines.",
  ),
});

export const filters = atomicList(HTTPRouteFilter).max(16);
