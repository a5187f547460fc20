import { groups } from "../../kubernetes/kinds/groups.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { present } from "../../kubernetes/values/present.ts";
import type { Gateway, Parent, ParentBackend } from "./gateway.ts";

/** agentgateway, with the inference extension on. */
export const agentgateway = {
  title: "agentgateway",
  pools: {
    classes: ["agentgateway", "agentgateway-*"],
    proxies: "beside-gateway",
    objects: () => [],
    planned: "nothing",
    source: "llm-d.ai, Agentgateway",
  },
  imports: {
    summary: "agentgateway, which reaches other clusters by backends of its own kind.",
    backend: undefined,
    parents: { besidePool: true, ca: "caConfigMap", needsHostName: false, backend },
    docs: {
      alone: "no",
      besidePool: "no",
      parents: "AgentgatewayBackend, by weight beside the pool",
    },
    source: "agentgateway refuses an InferencePoolImport as a backend (InvalidKind)",
  },
} as const satisfies Gateway;

/** A static AgentgatewayBackend. */
function backend({ name, namespace, metadata, host, port, tls }: Parent): ParentBackend {
  return {
    objects: [
      {
        apiVersion: kinds.AgentgatewayBackend.apiVersion,
        kind: "AgentgatewayBackend",
        metadata,
        spec: present({
          static: { host, port },
          policies: tls && {
            tls: { caCertificateRefs: [{ name: tls.caConfigMap }], sni: tls.hostname },
          },
        }),
      },
    ],
    ref: { group: groups.agentgateway, kind: "AgentgatewayBackend", name, namespace },
  };
}
