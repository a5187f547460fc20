import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { RestrictedRoute } from "./access-support.ts";
import type { Gateway } from "./gateway.ts";
import { gatewayKind } from "./gateway-kind.ts";
import { routeTarget } from "./gateway-target.ts";

const ownKinds = {
  TrafficPolicy: gatewayKind(
    {
      group: "gateway.kgateway.dev",
      version: "v1alpha1",
      kind: "TrafficPolicy",
      plural: "trafficpolicies",
    },
    ["Namespace"],
  ),
} as const;

/** kgateway. It does not call pickers that serve plain text. */
export const kgateway = {
  title: "kgateway",
  ownKinds,
  pools: {
    classes: ["kgateway"],
    proxies: "beside-gateway",
    pickerTimeoutSeconds: 5,
    reachesTls: false,
    // Envoy's default of RouteAction.timeout: kgateway's route translator sets no timeout unless `timeouts` is set.
    answerLimitSeconds: 15,
    severalPools: "answers such rules with 503 (kgateway-dev/kgateway#11667)",
    objects: () => [],
    planned: "nothing",
    access: {
      // The keys of an issuer need a backend of their own, which the plan does not know.
      credentials: ["apiKeys"],
      objects: (route) => [trafficPolicy(route)],
      planned: "TrafficPolicy for the route",
      source: "kgateway.dev, TrafficPolicy: apiKeyAuth",
    },
    source: "kgateway.dev, Inference Extension; kgateway issue 11429",
  },
  imports: undefined,
} as const satisfies Gateway;

/** Envoy sets the header itself, so a client's own value does not reach the picker. */
const trafficPolicy = ({ access, route, tenantHeader, metadata }: RestrictedRoute): Manifest => ({
  apiVersion: ownKinds.TrafficPolicy.apiVersion,
  kind: "TrafficPolicy",
  metadata,
  spec: {
    targetRefs: [routeTarget(route)],
    apiKeyAuth: {
      keySources: [{ header: "Authorization" }],
      clientIdHeader: tenantHeader,
      secretRef: { name: access.apiKeys?.secret },
    },
  },
});
