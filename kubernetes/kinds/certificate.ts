import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/** cert-manager Certificate. Its controller maintains a Secret with tls.crt, tls.key and ca.crt. */
export const certificate = defineKind({
  group: groups.certManager,
  version: "v1",
  kind: "Certificate",
  plural: "certificates",
  scope: "Namespaced",
  readiness: { waitFor: "condition=Ready" },
});
