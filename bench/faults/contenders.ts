import { poolRoute } from "../../test/traffic/stack.ts";
import type { Cluster } from "../../testing/api/cluster.ts";
import { type Envoy, startEnvoy, startEnvoyWith } from "../../testing/envoy/start.ts";
import { startGoPool } from "../routing/live/go-pool.ts";
import { type LivePool, startLivePool } from "../routing/live/live-pool.ts";
import type { Pod } from "../routing/pod.ts";

/** A gateway in front of a pool. */
export interface Gateway {
  readonly url: string;
  stop(): Promise<void>;
}

export type StartGateway = (cluster: Cluster, pods: readonly Pod[]) => Promise<Gateway>;

/** The ways to choose pods that are compared. The Go picker is there if EPP_GO names its executable. */
export const contenders: Readonly<Record<string, StartGateway>> = {
  ours: withPicker((cluster, pods) => startLivePool({ cluster, pods, ready: pods })),
  ...(process.env.EPP_GO && {
    "llm-d": withPicker((cluster, pods) =>
      startGoPool({ cluster, pods, ready: pods, binary: process.env.EPP_GO as string }),
    ),
  }),
  "round robin, outlier detection": plainEnvoy("ROUND_ROBIN", {
    consecutive_5xx: 3,
    interval: "1s",
    base_ejection_time: "1s",
    max_ejection_percent: 50,
  }),
  "least outstanding": plainEnvoy("LEAST_REQUEST"),
};

function withPicker(
  startPool: (cluster: Cluster, pods: readonly Pod[]) => Promise<LivePool>,
): StartGateway {
  return async (cluster, pods) => {
    const pool = await startPool(cluster, pods);
    const port = pods[0]?.endpoint.port as number;
    const envoy = await startEnvoy({
      httpRoutes: [poolRoute],
      pools: [
        {
          pool: {
            metadata: { name: "pool" },
            spec: {
              selector: { matchLabels: { app: "model-server" } },
              targetPorts: [{ number: port }],
              endpointPickerRef: { name: "pool-epp", port: { number: 9002 } },
            },
          },
          picker: pool.address,
        },
      ],
    });
    return gateway(envoy, pool);
  };
}

const gateway = (envoy: Envoy, pool?: LivePool): Gateway => ({
  url: envoy.url,
  async stop() {
    await envoy.stop();
    await pool?.stop();
  },
});

/** Envoy by itself, with one of its own policies. */
function plainEnvoy(policy: string, outlierDetection?: object): StartGateway {
  return async (_, pods) =>
    gateway(await startEnvoyWith(() => plainConfig(policy, outlierDetection, pods)));
}

const extension = (name: string) => `type.googleapis.com/envoy.extensions.filters.${name}`;

const socketAddress = (address: string, port: number) => ({
  socket_address: { address, port_value: port },
});

const plainConfig = (
  policy: string,
  outlierDetection: object | undefined,
  pods: readonly Pod[],
) => ({
  static_resources: {
    listeners: [
      {
        name: "gateway",
        address: socketAddress("127.0.0.1", 0),
        filter_chains: [
          {
            filters: [
              {
                name: "envoy.filters.network.http_connection_manager",
                typed_config: {
                  "@type": extension("network.http_connection_manager.v3.HttpConnectionManager"),
                  stat_prefix: "gateway",
                  http_filters: [
                    {
                      name: "envoy.filters.http.router",
                      typed_config: { "@type": extension("http.router.v3.Router") },
                    },
                  ],
                  route_config: {
                    virtual_hosts: [
                      {
                        name: "all",
                        domains: ["*"],
                        routes: [{ match: { prefix: "/" }, route: { cluster: "pods" } }],
                      },
                    ],
                  },
                },
              },
            ],
          },
        ],
      },
    ],
    clusters: [
      {
        name: "pods",
        type: "STATIC",
        connect_timeout: "1s",
        lb_policy: policy,
        ...(outlierDetection && { outlier_detection: outlierDetection }),
        load_assignment: {
          cluster_name: "pods",
          endpoints: [
            {
              lb_endpoints: pods.map(({ endpoint: { ip, port } }) => ({
                endpoint: { address: socketAddress(ip, port) },
              })),
            },
          ],
        },
      },
    ],
  },
});
