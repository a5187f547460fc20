import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";

/** The target of a BackendTLSPolicy. */
export interface TlsTarget {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** How a backend's certificate is verified: by a CA in a ConfigMap of the same namespace. */
export const backendTlsPolicy = (
  metadata: Manifest["metadata"],
  target: TlsTarget,
  tls: { readonly caConfigMap: string | undefined; readonly hostname: string },
): Manifest => ({
  apiVersion: kinds.BackendTLSPolicy.apiVersion,
  kind: "BackendTLSPolicy",
  metadata,
  spec: {
    targetRefs: [target],
    validation: {
      caCertificateRefs: [{ group: "", kind: "ConfigMap", name: tls.caConfigMap }],
      hostname: tls.hostname,
    },
  },
});
