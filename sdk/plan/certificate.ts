import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { CertificateIssuer } from "../spec/certificate-issuer.ts";
import { endpointPickerName, serviceHost } from "../topology/names.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";

/** What a picker proves by a certificate, and who signs it. */
export interface PickerCertificate {
  /** Name of the Certificate and of its Secret. */
  readonly name: string;
  readonly usage: "server auth" | "client auth";
  readonly issuer: CertificateIssuer;
}

/** A certificate for the Service of a picker, and the issuer's other names. Its key is new each time it is renewed. */
export const planPickerCertificate = (
  context: PlanContext,
  { name, usage, issuer: { dnsNames, ...issuerRef } }: PickerCertificate,
): Manifest => ({
  apiVersion: kinds.Certificate.apiVersion,
  kind: "Certificate",
  metadata: objectMeta(context, name),
  spec: {
    secretName: name,
    dnsNames: [
      serviceHost(endpointPickerName(context.metadata.name), context.metadata.namespace),
      ...dnsNames,
    ],
    usages: ["digital signature", "key encipherment", usage],
    privateKey: { rotationPolicy: "Always" },
    issuerRef,
  },
});
