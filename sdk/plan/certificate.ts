import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { CertificateIssuer } from "../spec/certificate-issuer.ts";

/** What a certificate is for, and who signs it. */
export interface CertificateInputs {
  /** The name of the Service; the issuer's argument may name others. */
  readonly host: string;
  readonly usage: "server auth" | "client auth";
  readonly issuer: CertificateIssuer;
}

/** A certificate whose Secret has the name of the Certificate. Its key is new each time it is renewed. */
export const certificate = (
  metadata: Manifest["metadata"],
  { host, usage, issuer: { dnsNames, ...issuerRef } }: CertificateInputs,
): Manifest => ({
  apiVersion: kinds.Certificate.apiVersion,
  kind: "Certificate",
  metadata,
  spec: {
    secretName: metadata.name,
    dnsNames: [host, ...dnsNames],
    usages: ["digital signature", "key encipherment", usage],
    privateKey: { rotationPolicy: "Always" },
    issuerRef,
  },
});
