import { groups } from "../../kubernetes/kinds/groups.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { present } from "../../kubernetes/values/present.ts";
import { createdGateway, poolGatewayType, routeTimeouts } from "../gateways/index.ts";
import { gatewayName, httpRouteName, inferencePoolName } from "../names.ts";
import { apiMatches } from "../routing/api-paths.ts";
import type { RouterRole } from "../spec/role.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";

/** Returns the Gateway that a router creates, with the user's spec as written. Undefined if the router creates none. */
export function planGateway(context: PlanContext, { gateway }: RouterRole): Manifest | undefined {
  const spec = createdGateway(gateway);
  if (spec === undefined) return undefined;
  return {
    apiVersion: kinds.Gateway.apiVersion,
    kind: "Gateway",
    metadata: objectMeta(context, gatewayName(context.metadata.name)),
    spec,
  };
}

/**
 * Returns the route to the pool. Undefined for a router that neither names nor creates a Gateway. The user's parents,
 * hostnames and rules are kept, and the backend of every rule is the pool. Without rules the route serves the API paths
 * of clients. A rule without timeouts gets the timeouts that its gateway needs.
 */
export function planHttpRoute(context: PlanContext, router: RouterRole): Manifest | undefined {
  const { httproute } = router;
  const gateway = createdGateway(router.gateway);
  if (httproute === undefined && gateway === undefined) return undefined;
  const service = context.metadata.name;
  const timeouts = routeTimeouts(poolGatewayType(router.gateway));
  const { parentRefs = [], rules = [], ...written } = httproute ?? {};
  const created = gateway === undefined ? [] : [{ name: gatewayName(service) }];
  const backendRefs = () => [
    {
      group: groups.inference,
      kind: "InferencePool",
      name: inferencePoolName(service),
    },
  ];
  return {
    apiVersion: kinds.HTTPRoute.apiVersion,
    kind: "HTTPRoute",
    metadata: objectMeta(context, httpRouteName(service)),
    spec: {
      parentRefs: parentRefs.length > 0 ? parentRefs : created,
      ...written,
      rules: (rules.length > 0 ? rules : [{ matches: apiMatches() }]).map((rule) => ({
        ...present({ timeouts }),
        ...rule,
        backendRefs: backendRefs(),
      })),
    },
  };
}
