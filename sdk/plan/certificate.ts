import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { endpointPickerName, serviceHost } from "../names.ts";
import type { CertificateIssuer } from "../spec/certificate-issuer.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";

/** Name, usage and issuer of a picker's certificate. */
export interface PickerCertificate {
  /** Name of the Certificate and of its Secret. */
  readonly name: string;
  readonly usage: "server auth" | "client auth";
  readonly issuer: CertificateIssuer;
}

/**
 * Returns a Certificate for the host name of a picker's Service and for the issuer's `dnsNames`. Each renewal creates a
 * new private key.
 */
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
