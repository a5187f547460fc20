import { z } from "zod";
import {
  apiGroup,
  atomicList,
  dnsSubdomain,
  kindName,
  labelSelector,
  labelValue,
  namespaceName,
  objectName,
  portNumber,
} from "./field-types.ts";
import { hostname, LocalReference } from "./gateway-references.ts";
import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/**
 * Gateway, gateway.networking.k8s.io/v1, standard channel: addresses and ports that routes attach to. Fields, defaults
 * and limits are the same as in the upstream CRD. The API server checks rules that involve several fields.
 */
export const gateway = defineKind({
  group: groups.gateway,
  version: "v1",
  kind: "Gateway",
  plural: "gateways",
  scope: "Namespaced",
  readiness: { waitFor: "condition=Programmed" },
});

export const RouteNamespaces = z.strictObject({
  from: z.enum(["All", "Selector", "Same"]).default("Same").describe("All, Same or Selector."),
  selector: labelSelector.optional().describe("Labels of namespaces. Used if `from` is Selector."),
});

export const RouteGroupKind = z.strictObject({
  group: apiGroup.default(groups.gateway).describe("API group of the routes."),
  kind: kindName,
});

export const AllowedRoutes = z.strictObject({
  namespaces: RouteNamespaces.prefault({ from: "Same" }).describe(
    "Namespaces of the routes. Default: the Gateway's namespace.",
  ),
  kinds: atomicList(RouteGroupKind)
    .max(8)
    .optional()
    .describe("Kinds of the routes. Default: the kinds of the listener's protocol."),
});

export const CertificateReference = z.strictObject({
  group: apiGroup.default("").describe("API group of the object. Default: the core group."),
  kind: kindName.default("Secret").describe("Kind of the object."),
  name: objectName,
  namespace: namespaceName
    .optional()
    .describe("Namespace of the object. Default: the Gateway's namespace."),
});

const longText = z.string().max(4096);

export const ListenerTls = z.strictObject({
  mode: z
    .enum(["Terminate", "Passthrough"])
    .default("Terminate")
    .describe("Terminate or Passthrough."),
  certificateRefs: atomicList(CertificateReference)
    .max(64)
    .optional()
    .describe("Secrets with the serving certificates."),
  options: z
    .record(z.string(), longText)
    .meta({ maxProperties: 16 })
    .optional()
    .describe("Settings that the controller defines."),
});

export const GatewayListener = z.strictObject({
  name: dnsSubdomain
    .min(1)
    .describe("Name of the listener, unique in the Gateway. Routes refer to it as `sectionName`."),
  hostname: hostname.optional().describe("Host name that the listener serves. Default: any."),
  port: portNumber,
  protocol: z
    .string()
    .min(1)
    .max(255)
    .regex(
      /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]+$/,
    )
    .describe("HTTP, HTTPS, TLS, TCP or UDP, or a protocol that the controller defines."),
  tls: ListenerTls.optional().describe("TLS settings. Required for HTTPS and TLS."),
  allowedRoutes: AllowedRoutes.prefault({ namespaces: { from: "Same" } }).describe(
    "Routes that may attach. Default: routes of the protocol's kinds, such as HTTPRoutes, in the Gateway's namespace.",
  ),
});

export const GatewayAddress = z.strictObject({
  type: z
    .string()
    .min(1)
    .max(253)
    .regex(
      /^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/,
    )
    .default("IPAddress")
    .describe("IPAddress, Hostname or a type that the controller defines."),
  value: z
    .string()
    .max(253)
    .optional()
    .describe("Address. Default: the controller selects one of the type."),
});

export const GatewayInfrastructure = z.strictObject({
  labels: z.record(z.string(), labelValue).meta({ maxProperties: 8 }).optional(),
  annotations: z.record(z.string(), longText).meta({ maxProperties: 8 }).optional(),
  parametersRef: LocalReference.optional(),
});

export const GatewaySpec = z.strictObject({
  gatewayClassName: objectName.describe(
    "GatewayClass, which selects the controller that serves the Gateway.",
  ),
  listeners: z
    .array(GatewayListener)
    .min(1)
    .max(64)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] })
    .describe("Ports and protocols that routes attach to. At least one."),
  addresses: atomicList(GatewayAddress)
    .max(16)
    .optional()
    .describe(
      "Addresses that are requested from the controller. Default: the controller selects them.",
    ),
  infrastructure: GatewayInfrastructure.optional().describe(
    "Labels, annotations and parameters of the objects that the controller creates for the Gateway.",
  ),
});
