import { z } from "zod";
import { atomicList, count, dnsSubdomain, portNumber } from "./field-types.ts";
import { backendReference, localReference } from "./gateway-references.ts";

/** What an HTTPRoute does to a request or a response on its way (gateway-api, HTTPRouteFilter). */

export const headerName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$/, "the name of a header");

export const headerValue = z.string().min(1).max(4096);

/** One entry of each name. */
export function namedList<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .max(16)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });
}

const headers = namedList(z.strictObject({ name: headerName, value: headerValue }));

const headerModifier = z.strictObject({
  set: headers.optional(),
  add: headers.optional(),
  remove: z.array(z.string()).max(16).meta({ "x-kubernetes-list-type": "set" }).optional(),
});

const pathModifier = z.strictObject({
  type: z.enum(["ReplaceFullPath", "ReplacePrefixMatch"]),
  replaceFullPath: z.string().max(1024).optional(),
  replacePrefixMatch: z.string().max(1024).optional(),
});

export const httpRouteFilter = z.strictObject({
  type: z
    .enum([
      "RequestHeaderModifier",
      "ResponseHeaderModifier",
      "RequestMirror",
      "RequestRedirect",
      "URLRewrite",
      "ExtensionRef",
    ])
    .describe("Which of the other fields is set."),
  requestHeaderModifier: headerModifier.optional(),
  responseHeaderModifier: headerModifier.optional(),
  requestMirror: z
    .strictObject({
      backendRef: z.strictObject(backendReference),
      percent: count.max(100).optional(),
      fraction: z
        .strictObject({ numerator: count, denominator: z.int32().min(1).default(100) })
        .optional(),
    })
    .optional(),
  requestRedirect: z
    .strictObject({
      scheme: z.enum(["http", "https"]).optional(),
      hostname: dnsSubdomain.min(1).optional(),
      path: pathModifier.optional(),
      port: portNumber.optional(),
      statusCode: z.union([z.literal(301), z.literal(302)]).default(302),
    })
    .optional(),
  urlRewrite: z
    .strictObject({ hostname: dnsSubdomain.min(1).optional(), path: pathModifier.optional() })
    .optional(),
  extensionRef: localReference.optional(),
});

export const filters = atomicList(httpRouteFilter).max(16);
