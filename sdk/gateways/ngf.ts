import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { backendTlsPolicy } from "../manifests/backend-tls-policy.ts";
import type { Gateway, Parent, ParentBackend } from "./gateway.ts";

/** NGINX Gateway Fabric, with the inference extension on. */
export const ngf = {
  title: "NGINX Gateway Fabric",
  ownKinds: {},
  pools: {
    classes: ["nginx"],
    proxies: "beside-gateway",
    pickerTimeoutSeconds: 60,
    reachesTls: false,
    objects: () => [],
    planned: "nothing",
    source:
      "docs.nginx.com, Gateway API Inference Extension; nginx-gateway-fabric pull request 4105",
  },
  imports: {
    summary:
      "NGINX Gateway Fabric. It reaches other clusters through ExternalName Services, in rules without a pool.",
    backend: undefined,
    picked: "beside-pool",
    parents: {
      ...{ besidePool: false, ca: "caConfigMap", needsHostName: true, backend },
      kinds: [kinds.Service, kinds.BackendTLSPolicy],
    },
    docs: {
      alone: "no",
      besidePool: "no",
      picker: "yes, also weighted",
      parents:
        "Service of type ExternalName, in a rule without the pool; its NginxProxy needs a DNS resolver",
    },
    source:
      "NGINX Gateway Fabric refuses a rule with an InferencePool and another backend, and an InferencePoolImport",
  },
} as const satisfies Gateway;

/** A Service of type ExternalName, in a rule without a pool. The NginxProxy of the gateway needs a DNS resolver. */
function backend({ name, namespace, metadata, host, port, tls }: Parent): ParentBackend {
  const service: Manifest = {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: {
      type: "ExternalName",
      externalName: host,
      ports: [{ name: "http", port, protocol: "TCP" }],
    },
  };
  const policy = ({ caConfigMap, hostname }: NonNullable<typeof tls>) =>
    backendTlsPolicy(metadata, { group: "", kind: "Service", name }, { caConfigMap, hostname });
  return {
    objects: tls === undefined ? [service] : [service, policy(tls)],
    ref: { group: "", kind: "Service", name, namespace, port },
  };
}
