import { present } from "../../kubernetes/values/present.ts";
import { objectMeta } from "../plan/object-meta.ts";
import { parentBackendName } from "../topology/names.ts";
import type { PlanParent } from "./parent-backend.ts";

/** agentgateway: a static AgentgatewayBackend, beside a pool where wanted. */
export const agentgatewayBackend: PlanParent = ({ metadata }, { cluster, host, port, tls }) => {
  const name = parentBackendName(metadata.name, cluster);
  return {
    objects: [
      {
        apiVersion: "agentgateway.dev/v1alpha1",
        kind: "AgentgatewayBackend",
        metadata: objectMeta({ metadata, owner: {} }, name),
        spec: present({
          static: { host, port },
          policies: tls && {
            tls: { caCertificateRefs: [{ name: tls.caConfigMap }], sni: tls.hostname },
          },
        }),
      },
    ],
    ref: {
      group: "agentgateway.dev",
      kind: "AgentgatewayBackend",
      name,
      namespace: metadata.namespace,
    },
  };
};
