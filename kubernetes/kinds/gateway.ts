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
import { hostname, localReference } from "./gateway-references.ts";
import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/**
 * Gateway, gateway.networking.k8s.io/v1, standard channel: addresses and ports that routes attach to.
 * Fields, defaults and bounds are those of the upstream CRD; the rules that tie several fields together
 * are left to the API server.
 */
export const gateway = defineKind({
  group: groups.gateway,
  version: "v1",
  kind: "Gateway",
  plural: "gateways",
  scope: "Namespaced",
  readiness: { waitFor: "condition=Programmed" },
});

const namespaces = z.strictObject({
  from: z.enum(["All", "Selector", "Same"]).default("Same"),
  selector: labelSelector.optional().describe("Namespaces, where from is Selector."),
});

const allowedRoutes = z.strictObject({
  namespaces: namespaces.prefault({ from: "Same" }),
  kinds: atomicList(z.strictObject({ group: apiGroup.default(groups.gateway), kind: kindName }))
    .max(8)
    .optional(),
});

const certificateRef = z.strictObject({
  group: apiGroup.default(""),
  kind: kindName.default("Secret"),
  name: objectName,
  namespace: namespaceName.optional(),
});

const longText = z.string().max(4096);

const listener = z.strictObject({
  name: dnsSubdomain.min(1),
  hostname: hostname.optional(),
  port: portNumber,
  protocol: z
    .string()
    .min(1)
    .max(255)
    .regex(
      /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9]+$/,
    )
    .describe("HTTP, HTTPS, TLS, TCP, UDP or one of an implementation."),
  tls: z
    .strictObject({
      mode: z.enum(["Terminate", "Passthrough"]).default("Terminate"),
      certificateRefs: atomicList(certificateRef).max(64).optional(),
      options: z.record(z.string(), longText).meta({ maxProperties: 16 }).optional(),
    })
    .optional(),
  allowedRoutes: allowedRoutes.prefault({ namespaces: { from: "Same" } }),
});

const address = z.strictObject({
  type: z
    .string()
    .min(1)
    .max(253)
    .regex(
      /^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/,
    )
    .default("IPAddress"),
  value: z.string().max(253).optional(),
});

export const GatewaySpec = z.strictObject({
  gatewayClassName: objectName.describe("Which implementation serves the Gateway."),
  listeners: z
    .array(listener)
    .min(1)
    .max(64)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
  addresses: atomicList(address).max(16).optional(),
  infrastructure: z
    .strictObject({
      labels: z.record(z.string(), labelValue).meta({ maxProperties: 8 }).optional(),
      annotations: z.record(z.string(), longText).meta({ maxProperties: 8 }).optional(),
      parametersRef: localReference.optional(),
    })
    .optional()
    .describe("Marks and parameters of what the implementation makes for the Gateway."),
});

/** The spec as written. */
export type GatewaySpec = z.input<typeof GatewaySpec>;
