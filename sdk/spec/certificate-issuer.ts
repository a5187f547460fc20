import { z } from "zod";
import { apiGroup, kindName, objectName } from "../../kubernetes/kinds/field-types.ts";
import { hostname } from "../../kubernetes/kinds/gateway-references.ts";
import { groups } from "../../kubernetes/kinds/groups.ts";
import { named } from "./argument.ts";

/** Who signs a certificate (cert-manager.io/v1, Certificate: `issuerRef`). */
export const CertificateIssuer = named(
  "CertificateIssuer",
  z.strictObject({
    name: objectName.describe("Name of the issuer."),
    kind: kindName
      .default("Issuer")
      .describe("`Issuer`, in the same namespace, `ClusterIssuer`, or another issuer's kind."),
    dnsNames: z
      .array(hostname)
      .max(16)
      .default([])
      .describe("Names that the certificate is for, beside that of the picker's Service."),
    group: apiGroup.default(groups.certManager).describe("API group of that kind."),
  }),
).describe("An issuer of cert-manager, which makes a certificate and renews it.");

export type CertificateIssuer = z.infer<typeof CertificateIssuer>;
