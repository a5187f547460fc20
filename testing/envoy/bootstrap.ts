import type { z } from "zod";
import { InferencePoolSpec } from "../../kubernetes/kinds/inference-pool.ts";
import { type HttpRoute, virtualHost } from "./routes.ts";

/** An InferencePool or InferencePoolImport object, as planned or as read from a cluster. */
export interface InferencePool {
  /** Default InferencePool. */
  readonly kind?: string | undefined;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly spec?: unknown;
}

/** A pool and what the gateway reaches of it. */
export interface GatewayPool {
  readonly pool: InferencePool;
  /** `host:port` of the pool's endpoint picker. */
  readonly picker: string;
  /**
   * Several replicas of the picker instead of `picker`. The gateway sends streams only to ready replicas, as it does
   * for the endpoints of a Service: it probes their health ports. In plain text.
   */
  readonly replicas?: readonly PickerReplica[];
  /** Whether the picker is spoken to in TLS; its certificate is taken unseen. Default true. */
  readonly tls?: boolean;
  /**
   * `ip:port` of each of the pool's pods. If set, the gateway knows the pods: it reads the picked endpoint from
   * metadata, reports to the picker which endpoint served, and falls back to any pod (Istio, GKE and Envoy Gateway work
   * like this). If not, it connects to whatever address the endpoint header has.
   */
  readonly endpoints?: readonly string[];
  /** Verifies what requests are sent to, as a BackendTLSPolicy asks for. Default: plain text. */
  readonly backendTls?: { readonly caFile: string; readonly hostname: string };
}

/** A replica of a picker: `host:port` of its service, and the port of its health service. */
export interface PickerReplica {
  readonly address: string;
  readonly healthPort: number;
}

export interface GatewayOptions {
  readonly httpRoutes: readonly HttpRoute[];
  readonly pools: readonly GatewayPool[];
  /** A model router that reads every request before a route is chosen, in plain text. Default: none. */
  readonly modelRouter?: string;
  /** How bodies go to the picker, both ways. Default FULL_DUPLEX_STREAMED. */
  readonly bodyMode?: "FULL_DUPLEX_STREAMED" | "STREAMED" | "BUFFERED" | "NONE";
  /** Whether the picker sees responses. Default true. */
  readonly responsePhase?: boolean;
  /** Endpoints to which a filter in front of the picker restricts it, as the subset hint. Default: no hint. */
  readonly subsetHint?: string | readonly string[];
  /** Number of retries of a stream to the picker, on another replica if there is one. Default 0. */
  readonly pickerRetries?: number;
  /** How long the picker may take to answer a message, in milliseconds. Default 1,000,000. */
  readonly messageTimeoutMs?: number;
  /** Bytes that are buffered of a connection. Default 32,768. */
  readonly bufferBytes?: number;
  /** Directory of tls.crt and tls.key that it serves with. Default: plain text. */
  readonly certificate?: string;
  /** Whether paths are normalized before a route is chosen, escaped and double slashes among them. Default true. */
  readonly normalizesPaths?: boolean;
  /** Port of 127.0.0.1. Default: one that is free. */
  readonly port?: number;
}

const extension = (name: string) => `type.googleapis.com/envoy.extensions.${name}`;

export const listenerName = "gateway";

/** Envoy's whole configuration. */
export function bootstrap(options: GatewayOptions, accessLog: string): object {
  return {
    static_resources: {
      listeners: [listener(options, accessLog)],
      clusters: [
        ...options.pools.flatMap((pool) => [podsCluster(pool), pickerCluster(pool)]),
        ...(options.modelRouter === undefined ? [] : [modelRouterCluster(options.modelRouter)]),
      ],
    },
  };
}

/** The gateway, its routes and the servers see one path, as in docs/gateways.md. */
const normalizedPaths = {
  normalize_path: true,
  merge_slashes: true,
  path_with_escaped_slashes_action: "UNESCAPE_AND_FORWARD",
};

function listener(options: GatewayOptions, accessLog: string): object {
  const poolOf = (kind: string, namespace: string, name: string) => {
    const wanted = poolName({ kind, metadata: { namespace, name } });
    const pool = options.pools.find(({ pool }) => poolName(pool) === wanted);
    if (pool !== undefined) return targetOf(pool, options);
    const known = options.pools.map(({ pool }) => poolName(pool)).join(", ");
    throw new Error(`an HTTPRoute names ${wanted}, known are ${known}`);
  };
  return {
    name: listenerName,
    address: socketAddress(`127.0.0.1:${options.port ?? 0}`),
    per_connection_buffer_limit_bytes: options.bufferBytes ?? 32_768,
    filter_chains: [
      {
        ...(options.certificate !== undefined && servingTls(options.certificate)),
        filters: [
          typed("envoy.filters.network.http_connection_manager", {
            "@type": extension("filters.network.http_connection_manager.v3.HttpConnectionManager"),
            stat_prefix: listenerName,
            use_remote_address: true,
            ...(options.normalizesPaths !== false && normalizedPaths),
            stream_idle_timeout: "0s",
            http2_protocol_options: {},
            http_filters: httpFilters(options),
            access_log: [accessLogTo(accessLog)],
            route_config: {
              name: listenerName,
              virtual_hosts: options.httpRoutes.map((route) => virtualHost(route, poolOf)),
            },
          }),
        ],
      },
    ],
  };
}

function httpFilters({ subsetHint, pools, modelRouter }: GatewayOptions): object[] {
  const [first] = pools;
  if (first === undefined) throw new Error("a gateway needs at least one pool");
  const hint = typed("envoy.filters.http.set_metadata", {
    "@type": extension("filters.http.set_metadata.v3.Config"),
    metadata: [
      {
        metadata_namespace: "envoy.lb.subset_hint",
        value: { "x-gateway-destination-endpoint-subset": subsetHint },
      },
    ],
  });
  return [
    ...(modelRouter === undefined ? [] : [modelRouterFilter]),
    ...(subsetHint === undefined ? [] : [hint]),
    // Takes no part in a request until the route's settings say so.
    typed(extProcFilter, {
      "@type": extension("filters.http.ext_proc.v3.ExternalProcessor"),
      grpc_service: grpcService(first),
      processing_mode: { request_header_mode: "SKIP", response_header_mode: "SKIP" },
      message_timeout: "1s",
    }),
    typed("envoy.filters.http.router", {
      "@type": extension("filters.http.router.v3.Router"),
      suppress_envoy_headers: true,
    }),
  ];
}

const extProcFilter = "envoy.filters.http.ext_proc";

const modelRouterName = "model-router";

/** As upstream's charts configure gateways for a body-based router. */
const modelRouterFilter = typed(modelRouterName, {
  "@type": extension("filters.http.ext_proc.v3.ExternalProcessor"),
  grpc_service: { envoy_grpc: { cluster_name: modelRouterName, authority: modelRouterName } },
  processing_mode: {
    request_header_mode: "SEND",
    request_body_mode: "FULL_DUPLEX_STREAMED",
    request_trailer_mode: "SEND",
    response_header_mode: "SKIP",
    response_body_mode: "NONE",
    response_trailer_mode: "SKIP",
  },
  message_timeout: "1000s",
});

const modelRouterCluster = (address: string): object => ({
  name: modelRouterName,
  type: "STATIC",
  connect_timeout: "10s",
  circuit_breakers: noLimits,
  load_assignment: assignment([address]),
  ...http2,
});

/** The pool's cluster, and its picker as the processor of the requests that go there. */
function targetOf(pool: GatewayPool, options: GatewayOptions) {
  const { bodyMode = "FULL_DUPLEX_STREAMED", responsePhase = true } = options;
  const trailers = bodyMode === "FULL_DUPLEX_STREAMED" ? "SEND" : "SKIP";
  const { endpointPickerRef } = settingsOf(pool);
  return {
    cluster: podsName(pool),
    filters: {
      [extProcFilter]: {
        "@type": extension("filters.http.ext_proc.v3.ExtProcPerRoute"),
        overrides: {
          grpc_service: grpcService(pool, options),
          failure_mode_allow: endpointPickerRef?.failureMode === "FailOpen",
          processing_mode: {
            request_header_mode: "SEND",
            request_body_mode: bodyMode,
            request_trailer_mode: trailers,
            response_header_mode: responsePhase ? "SEND" : "SKIP",
            response_body_mode: responsePhase ? bodyMode : "NONE",
            response_trailer_mode: responsePhase ? trailers : "SKIP",
          },
          metadata_options: {
            forwarding_namespaces: { untyped: ["envoy.lb", "envoy.lb.subset_hint"] },
            receiving_namespaces: { untyped: ["envoy.lb"] },
          },
        },
      },
    },
  };
}

const grpcService = (
  pool: GatewayPool,
  { pickerRetries = 0 }: Pick<GatewayOptions, "pickerRetries"> = {},
) => ({
  envoy_grpc: { cluster_name: pickerName(pool), authority: pool.picker },
  ...(pickerRetries > 0 && {
    retry_policy: {
      retry_on: "connect-failure,refused-stream,reset,unavailable",
      num_retries: pickerRetries,
    },
  }),
});

/** An import has none. */
const settingsOf = ({ pool }: GatewayPool): Partial<z.output<typeof InferencePoolSpec>> =>
  kindOf(pool) === "InferencePool" ? InferencePoolSpec.parse(pool.spec) : {};

const kindOf = ({ kind = "InferencePool" }: InferencePool) => kind;
const poolName = (pool: InferencePool) => {
  const { name, namespace = "default" } = pool.metadata;
  return `${kindOf(pool)} ${namespace}/${name}`;
};
const podsName = ({ pool }: GatewayPool) => `pods of ${poolName(pool)}`;
const pickerName = ({ pool }: GatewayPool) => `picker of ${poolName(pool)}`;

const endpointKey = "x-gateway-destination-endpoint";
const lbMetadata = (key: string) => ({ key: "envoy.lb", path: [{ key }] });

function podsCluster(gatewayPool: GatewayPool): object {
  const { appProtocol } = settingsOf(gatewayPool);
  return {
    name: podsName(gatewayPool),
    connect_timeout: "10s",
    circuit_breakers: noLimits,
    ...(appProtocol === "kubernetes.io/h2c" && http2),
    ...(gatewayPool.backendTls && verifiedTls(gatewayPool.backendTls)),
    ...(gatewayPool.endpoints === undefined ? anyAddress : knownPods(gatewayPool.endpoints)),
  };
}

const anyAddress = {
  type: "ORIGINAL_DST",
  lb_policy: "CLUSTER_PROVIDED",
  original_dst_lb_config: { use_http_header: true, http_header_name: endpointKey },
};

const knownPods = (endpoints: readonly string[]) => ({
  type: "STATIC",
  load_assignment: assignment(endpoints),
  load_balancing_policy: policy("override_host", {
    "@type": extension("load_balancing_policies.override_host.v3.OverrideHost"),
    override_host_sources: [{ metadata: lbMetadata(endpointKey) }],
    selected_host_key: lbMetadata(`${endpointKey}-served`),
    fallback_policy: policy("round_robin", {
      "@type": extension("load_balancing_policies.round_robin.v3.RoundRobin"),
    }),
  }),
});

const policy = (name: string, config: object) => ({
  policies: [{ typed_extension_config: typed(`envoy.load_balancing_policies.${name}`, config) }],
});

function pickerCluster(pool: GatewayPool): object {
  return {
    name: pickerName(pool),
    type: "STATIC",
    connect_timeout: "10s",
    circuit_breakers: noLimits,
    ...(pool.replicas === undefined
      ? { load_assignment: assignment([pool.picker]) }
      : readyReplicas(pool.replicas)),
    ...http2,
    ...((pool.tls ?? true) && {
      transport_socket: typed("envoy.transport_sockets.tls", {
        "@type": extension("transport_sockets.tls.v3.UpstreamTlsContext"),
        common_tls_context: { alpn_protocols: ["h2"] },
      }),
    }),
  };
}

const servingTls = (directory: string) => ({
  transport_socket: typed("envoy.transport_sockets.tls", {
    "@type": extension("transport_sockets.tls.v3.DownstreamTlsContext"),
    common_tls_context: {
      tls_certificates: [
        {
          certificate_chain: { filename: `${directory}/tls.crt` },
          private_key: { filename: `${directory}/tls.key` },
        },
      ],
    },
  }),
});

const verifiedTls = ({ caFile, hostname }: NonNullable<GatewayPool["backendTls"]>) => ({
  transport_socket: typed("envoy.transport_sockets.tls", {
    "@type": extension("transport_sockets.tls.v3.UpstreamTlsContext"),
    sni: hostname,
    common_tls_context: {
      validation_context: {
        trusted_ca: { filename: caFile },
        match_typed_subject_alt_names: [{ san_type: "DNS", matcher: { exact: hostname } }],
      },
    },
  }),
});

/** Probes readiness often, because no kubelet probes here and no control plane updates the gateway. */
const readyReplicas = (replicas: readonly PickerReplica[]) => ({
  load_assignment: {
    cluster_name: "replicas",
    endpoints: [
      {
        lb_endpoints: replicas.map(({ address, healthPort }) => ({
          endpoint: {
            address: socketAddress(address),
            health_check_config: { port_value: healthPort },
          },
        })),
      },
    ],
  },
  common_lb_config: { healthy_panic_threshold: { value: 0 } },
  health_checks: [
    {
      timeout: "2s",
      interval: "0.2s",
      no_traffic_interval: "0.2s",
      unhealthy_threshold: 1,
      healthy_threshold: 1,
      // By default the authority is the name of the cluster, which does not resolve as a host name.
      grpc_health_check: { service_name: "readiness", authority: "picker" },
    },
  ],
});

/** Envoy limits pending requests to 1,024 by default and refuses more. */
const noLimits = {
  thresholds: [
    {
      max_connections: 40_000,
      max_pending_requests: 40_000,
      max_requests: 40_000,
      max_retries: 1_024,
    },
  ],
};

const http2 = {
  typed_extension_protocol_options: {
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
      "@type": extension("upstreams.http.v3.HttpProtocolOptions"),
      explicit_http_config: { http2_protocol_options: {} },
    },
  },
};

const assignment = (addresses: readonly string[]) => ({
  cluster_name: addresses.join(),
  endpoints: [
    {
      lb_endpoints: addresses.map((address) => ({ endpoint: { address: socketAddress(address) } })),
    },
  ],
});

function socketAddress(hostPort: string): object {
  const { hostname, port } = new URL(`tcp://${hostPort}`);
  const address = hostname.replace(/^\[|\]$/g, "");
  return { socket_address: { address, port_value: Number(port) } };
}

function typed(name: string, typed_config: object) {
  return { name, typed_config };
}

/** One line a request; the fields of AccessLogEntry. */
const accessLogTo = (path: string) =>
  typed("envoy.access_loggers.file", {
    "@type": extension("access_loggers.file.v3.FileAccessLog"),
    path,
    log_format: {
      json_format: {
        method: "%REQ(:METHOD)%",
        path: "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%",
        status: "%RESPONSE_CODE%",
        flags: "%RESPONSE_FLAGS%",
        details: "%RESPONSE_CODE_DETAILS%",
        upstream: "%UPSTREAM_HOST%",
        picked: `%REQ(${endpointKey.toUpperCase()})%`,
        requestId: "%REQ(X-REQUEST-ID)%",
        milliseconds: "%DURATION%",
      },
    },
  });

/** A request as Envoy logged it. */
export interface AccessLogEntry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Envoy's response flags, for example `UPE`; `-` for none. */
  readonly flags: string;
  readonly details: string | null;
  /** The pod that served, `ip:port`. */
  readonly upstream: string | null;
  /** Value of the endpoint header. */
  readonly picked: string | null;
  readonly requestId: string | null;
  readonly milliseconds: number;
}
