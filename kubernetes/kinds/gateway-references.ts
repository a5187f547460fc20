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

/** The Gateway that a route attaches to. */
export const parentReference = z.strictObject({
  group: apiGroup.default(groups.gateway),
  kind: kindName.default("Gateway"),
  namespace: namespaceName.optional(),
  name: objectName,
  sectionName: dnsSubdomain.min(1).optional().describe("One listener of the Gateway."),
  port: portNumber.optional().describe("Listeners on one port of the Gateway."),
});

export const localReference = z.strictObject({ group: apiGroup, kind: kindName, name: objectName });

/** An object that requests go to. A Service needs a port. */
export const backendReference = {
  group: apiGroup.default(""),
  kind: kindName.default("Service"),
  name: objectName,
  namespace: namespaceName.optional(),
  port: portNumber.optional(),
};

/** A host name, its first label may be a wildcard. */
export const hostname = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    "a host name, or one that begins with *.",
  );
