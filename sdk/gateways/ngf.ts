import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { backendTlsPolicy } from "../plan/backend-tls-policy.ts";
import { objectMeta } from "../plan/object-meta.ts";
import { parentBackendName } from "../topology/names.ts";
import type { PlanParent } from "./parent-backend.ts";

/**
 * NGINX Gateway Fabric: a Service of type ExternalName, in a rule without a pool. Its NginxProxy needs a DNS resolver.
 */
export const ngfBackend: PlanParent = ({ metadata }, { cluster, host, port, tls }) => {
  const name = parentBackendName(metadata.name, cluster);
  const meta = objectMeta({ metadata, owner: {} }, name);
  const service: Manifest = {
    apiVersion: "v1",
    kind: "Service",
    metadata: meta,
    spec: {
      type: "ExternalName",
      externalName: host,
      ports: [{ name: "http", port, protocol: "TCP" }],
    },
  };
  const policy = (to: NonNullable<typeof tls>) =>
    backendTlsPolicy(
      meta,
      { group: "", kind: "Service", name },
      { caConfigMap: to.caConfigMap, hostname: to.hostname },
    );
  return {
    objects: tls === undefined ? [service] : [service, policy(tls)],
    ref: { group: "", kind: "Service", name, namespace: metadata.namespace, port },
  };
};
