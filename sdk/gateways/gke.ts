import { groups } from "../../kubernetes/kinds/groups.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { AskedModelRouter, Gateway, GatewayPool } from "./gateway.ts";
import { gatewayKind } from "./gateway-kind.ts";
import { gatewayTarget } from "./gateway-target.ts";

const group = "networking.gke.io";

const ownKinds = {
  HealthCheckPolicy: gatewayKind(
    { group, version: "v1", kind: "HealthCheckPolicy", plural: "healthcheckpolicies" },
    ["InferencePool"],
  ),
  GCPBackendPolicy: gatewayKind(
    { group, version: "v1", kind: "GCPBackendPolicy", plural: "gcpbackendpolicies" },
    ["InferencePool"],
  ),
  // Its objects follow the model router: a gateway that calls a missing router fails all requests.
  GCPRoutingExtension: gatewayKind(
    { group, version: "v1", kind: "GCPRoutingExtension", plural: "gcproutingextensions" },
    ["Service", "Deployment", "HealthCheckPolicy"],
  ),
} as const;

/** GKE Inference Gateway: GKE 1.32.3 or later with the Gateway API and HttpLoadBalancing on. */
export const gke = {
  title: "GKE Inference Gateway",
  ownKinds,
  pools: {
    classes: ["gke-l7-*"],
    proxies: "outside",
    pickerTimeoutSeconds: Number.POSITIVE_INFINITY,
    reachesTls: false,
    // GWCER104 (kserve/kserve#5311 and #5707); GCPBackendPolicy has the timeout instead.
    refusesTimeouts: true,
    objects: (pool) => [healthCheck(pool), backendTimeout(pool)],
    planned: "HealthCheckPolicy and GCPBackendPolicy for the pool",
    modelRouter: {
      tls: true,
      appProtocol: "HTTP2",
      objects: (router) => [routingExtension(router), routerHealth(router)],
      planned: "GCPRoutingExtension and HealthCheckPolicy",
      source:
        "Google Cloud, Configure Body-Based Routing; inference extension, charts/body-based-routing/templates/gke.yaml",
    },
    source:
      "inference extension, charts/inferencepool/templates/gke.yaml; Google Cloud, Deploy GKE Inference Gateway",
  },
  imports: {
    summary: "GKE. Its fleet imports the pools of its clusters.",
    backend: {
      group,
      kind: "GCPInferencePoolImport",
      isPlanned: false,
      besidePool: "never",
    },
    picked: undefined,
    parents: undefined,
    docs: {
      alone: "GCPInferencePoolImport, in the fleet's config cluster",
      besidePool:
        "no: the import contains the pools of every cluster; export with `gkeFleet: true`",
      picker: "no: it sends requests only to the pool's pods",
      parents: "no",
    },
    source: "GKE routes to one import that holds the pools of every cluster of the fleet",
  },
} as const satisfies Gateway;

const target = ({ name }: GatewayPool) => ({
  group: groups.inference,
  kind: "InferencePool",
  name,
});

/** GKE's load balancer probes `/` by default, for which model servers return 404. */
const healthCheck = (pool: GatewayPool): Manifest => ({
  apiVersion: ownKinds.HealthCheckPolicy.apiVersion,
  kind: "HealthCheckPolicy",
  metadata: pool.metadata(pool.name),
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

/** The default of 30 seconds cuts long responses. */
const backendTimeout = (pool: GatewayPool): Manifest => ({
  apiVersion: ownKinds.GCPBackendPolicy.apiVersion,
  kind: "GCPBackendPolicy",
  metadata: pool.metadata(pool.name),
  spec: { targetRef: target(pool), default: { timeoutSec: 300 } },
});

const routingExtension = ({ gateway, name, port, metadata }: AskedModelRouter): Manifest => ({
  apiVersion: ownKinds.GCPRoutingExtension.apiVersion,
  kind: "GCPRoutingExtension",
  metadata,
  spec: {
    targetRefs: [gatewayTarget(gateway)],
    extensionChains: [
      {
        name: "models",
        extensions: [
          {
            name: "model-router",
            // Only the load balancer uses this name.
            authority: "model-router.internal",
            // GKE's maximum.
            timeout: "1s",
            supportedEvents: ["RequestHeaders", "RequestBody", "RequestTrailers"],
            requestBodySendMode: "FullDuplexStreamed",
            backendRef: { group: "", kind: "Service", name, port },
          },
        ],
      },
    ],
  },
});

/** The load balancer probes the health service by gRPC. */
const routerHealth = ({ name, healthPort, metadata }: AskedModelRouter): Manifest => ({
  apiVersion: ownKinds.HealthCheckPolicy.apiVersion,
  kind: "HealthCheckPolicy",
  metadata,
  spec: {
    targetRef: { group: "", kind: "Service", name },
    default: {
      config: {
        type: "GRPC",
        grpcHealthCheck: { portSpecification: "USE_FIXED_PORT", port: healthPort },
      },
    },
  },
});
