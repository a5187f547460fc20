import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/** Certificate of cert-manager: its controller keeps a Secret with tls.crt, tls.key and ca.crt. */
export const certificate = defineKind({
  group: groups.certManager,
  version: "v1",
  kind: "Certificate",
  plural: "certificates",
  scope: "Namespaced",
  readiness: { waitFor: "condition=Ready" },
});
