import { z } from "zod";
import {
  apiGroup,
  dnsSubdomain,
  kindName,
  namespaceName,
  objectName,
  portNumber,
} from "./field-types.ts";
import { groups } from "./groups.ts";

/** References of the Gateway API, shared by its kinds (gateway-api, apis/v1/object_reference_types.go). */

/** Gateway that a route attaches to. */
export const ParentReference = z.strictObject({
  group: apiGroup.default(groups.gateway).describe("API group of the parent."),
  kind: kindName.default("Gateway").describe("Kind of the parent."),
  namespace: namespaceName
    .optional()
    .describe("Namespace of the parent. Default: the route's namespace."),
  name: objectName,
  sectionName: dnsSubdomain
    .min(1)
    .optional()
    .describe("Listener of the gateway. Default: all listeners."),
  port: portNumber.optional().describe("Port of the Gateway; selects its listeners on this port."),
});

/** Reference in a route, as written. */
export type ParentRef = z.input<typeof ParentReference>;

export const LocalReference = z
  .strictObject({ group: apiGroup, kind: kindName, name: objectName })
  .describe("Object in the same namespace.");

/** Fields of the object that receives requests. A Service needs a port. */
export const backendReference = {
  group: apiGroup.default("").describe("API group of the backend. Default: the core group."),
  kind: kindName.default("Service").describe("Kind of the backend."),
  name: objectName,
  namespace: namespaceName
    .optional()
    .describe("Namespace of the backend. Default: the route's namespace."),
  port: portNumber.optional().describe("Port of the backend. Required for a Service."),
};

/** Host name. Its first label may be a wildcard. */
export const hostname = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    "a host name, or one that begins with *.",
  );
