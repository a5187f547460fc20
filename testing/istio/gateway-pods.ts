import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { type EnvoyProcess, startEnvoyProcess } from "../envoy/start.ts";
import type { PodPrograms } from "../stand-ins/kubelet.ts";
import type { Pod } from "../stand-ins/objects.ts";

/** Envoys of the pods that Istio creates for Gateways. */
export interface GatewayPods extends PodPrograms {
  /** Envoys that run, by the name of the Gateway. */
  readonly envoys: ReadonlyMap<string, EnvoyProcess>;
  stop(): Promise<void>;
}

const gatewayLabel = "gateway.networking.k8s.io/gateway-name";

/**
 * STAND-IN for Istio's proxy image: Envoy as its project publishes it, configured by Istio's control plane over xDS
 * with the identity of the pod. Istio's own build has further filters and an agent.
 *
 * @param xds returns the address of the control plane
 */
export function gatewayPods(kubeconfig: string, xds: () => string): GatewayPods {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const envoys = new Map<string, EnvoyProcess>();
  return {
    envoys,
    async start(pod, address) {
      const gateway = pod.metadata.labels?.[gatewayLabel];
      if (gateway === undefined) return;
      const { namespace = "default" } = pod.metadata;
      const { serviceAccountName: name } = pod.spec as { serviceAccountName?: string };
      const { status } = await core.createNamespacedServiceAccountToken({
        ...{ namespace, name: name ?? "default" },
        body: { spec: { audiences: ["istio-ca"] } },
      });
      const token = status?.token ?? "";
      const bootstrap = bootstrapOf(pod, address, xds(), token);
      envoys.set(gateway, await startEnvoyProcess(() => bootstrap));
    },
    async end(pod) {
      const gateway = pod.metadata.labels?.[gatewayLabel] ?? "";
      await envoys.get(gateway)?.stop();
      envoys.delete(gateway);
    },
    async stop() {
      await Promise.all([...envoys.values()].map((envoy) => envoy.stop()));
    },
  };
}

const clusterName = "xds-grpc";

/** Returns what Istio's agent writes for Envoy, as far as Istio's control plane reads it. */
function bootstrapOf(pod: Pod, address: string, xds: string, token: string): object {
  const { name, namespace = "default", labels = {} } = pod.metadata;
  const { serviceAccountName } = pod.spec as { serviceAccountName?: string };
  const [host, port] = xds.split(":");
  const source = { ads: {}, resource_api_version: "V3" };
  return {
    node: {
      id: `router~${address}~${name}.${namespace}~${namespace}.svc.cluster.local`,
      cluster: `${labels[gatewayLabel]}.${namespace}`,
      metadata: {
        ISTIO_VERSION: "1.31.0",
        ...{ NAME: name, NAMESPACE: namespace, LABELS: labels, CLUSTER_ID: "Kubernetes" },
        ...{ SERVICE_ACCOUNT: serviceAccountName, INSTANCE_IPS: address },
      },
    },
    dynamic_resources: {
      lds_config: source,
      cds_config: source,
      ads_config: {
        ...{ api_type: "GRPC", transport_api_version: "V3" },
        set_node_on_first_message_only: true,
        grpc_services: [
          {
            envoy_grpc: { cluster_name: clusterName },
            initial_metadata: [{ key: "authorization", value: `Bearer ${token}` }],
          },
        ],
      },
    },
    static_resources: {
      clusters: [
        {
          ...{ name: clusterName, type: "STATIC", connect_timeout: "1s" },
          typed_extension_protocol_options: {
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
              "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
              explicit_http_config: { http2_protocol_options: {} },
            },
          },
          load_assignment: {
            cluster_name: clusterName,
            endpoints: [
              {
                lb_endpoints: [
                  {
                    endpoint: {
                      address: { socket_address: { address: host, port_value: Number(port) } },
                    },
                  },
                ],
              },
            ],
          },
        },
      ],
    },
  };
}
