import { z } from "zod";
import { apiGroup, kindName, objectName } from "../../kubernetes/kinds/field-types.ts";
import { hostname } from "../../kubernetes/kinds/gateway-references.ts";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { named } from "../schemas/argument.ts";

/** Issuer of a certificate (cert-manager.io/v1, Certificate: `issuerRef`). */
export const CertificateIssuer = named(
  "CertificateIssuer",
  z.strictObject({
    name: objectName.describe("Name of the issuer."),
    kind: kindName
      .default("Issuer")
      .describe(
        "Kind of the issuer: `Issuer` (in the same namespace), `ClusterIssuer`, or the kind of an external issuer.",
      ),
    dnsNames: z
      .array(hostname)
      .max(16)
      .default([])
      .describe("Further names in the certificate, besides the name of the picker's Service."),
    group: apiGroup.default(groups.certManager).describe("API group of the issuer's kind."),
  }),
).describe("cert-manager issuer that creates and renews a certificate.");

export type CertificateIssuer = z.infer<typeof CertificateIssuer>;
