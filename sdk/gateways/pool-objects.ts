import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { objectMeta, type PlanContext } from "../plan/object-meta.ts";
import type { PoolGatewayType } from "./pool-gateways.ts";

/** A pool as far as gateways have objects about it. */
export interface GatewayPool {
  readonly name: string;
  /** Ports of the model servers. */
  readonly targetPorts: readonly number[];
  /** Service of the picker that is planned with the pool; undefined where the picker is somebody else's. */
  readonly picker: { readonly name: string; readonly port: number } | undefined;
}

type Planner = (context: PlanContext, pool: GatewayPool) => Manifest[];

const planners: Partial<Record<PoolGatewayType, Planner>> = {
  istio: (context, { picker }) => (picker === undefined ? [] : [pickerOverTls(context, picker)]),
  gke: (context, pool) => [healthCheck(context, pool), backendTimeout(context, pool)],
};

/** What a kind of gateway needs beside the pool to serve it. */
export const planPoolGateway = (
  type: PoolGatewayType,
  context: PlanContext,
  pool: GatewayPool,
): Manifest[] => planners[type]?.(context, pool) ?? [];

/** Istio speaks plain text to Services by default, and the planned picker serves TLS with a certificate of its own. */
const pickerOverTls = (
  context: PlanContext,
  { name, port }: NonNullable<GatewayPool["picker"]>,
): Manifest => ({
  apiVersion: "networking.istio.io/v1",
  kind: "DestinationRule",
  metadata: objectMeta(context, name),
  spec: {
    host: `${name}.${context.metadata.namespace}.svc.cluster.local`,
    trafficPolicy: {
      // Metrics beside it are plain text.
      portLevelSettings: [
        { port: { number: port }, tls: { mode: "SIMPLE", insecureSkipVerify: true } },
      ],
    },
  },
});

const target = ({ name }: GatewayPool) => ({
  group: "inference.networking.k8s.io",
  kind: "InferencePool",
  name,
});

/** GKE's load balancer asks for `/` by default, which model servers answer with 404. */
const healthCheck = (context: PlanContext, pool: GatewayPool): Manifest => ({
  apiVersion: "networking.gke.io/v1",
  kind: "HealthCheckPolicy",
  metadata: objectMeta(context, pool.name),
  spec: {
    targetRef: target(pool),
    default: {
      timeoutSec: 2,
      checkIntervalSec: 2,
      config: {
        type: "HTTP",
        httpHealthCheck: { requestPath: "/health", port: pool.targetPorts[0] },
      },
    },
  },
});

/** The default of 30 seconds cuts long answers. */
const backendTimeout = (context: PlanContext, pool: GatewayPool): Manifest => ({
  apiVersion: "networking.gke.io/v1",
  kind: "GCPBackendPolicy",
  metadata: objectMeta(context, pool.name),
  spec: { targetRef: target(pool), default: { timeoutSec: 300 } },
});
