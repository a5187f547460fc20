import { groups } from "../../kubernetes/kinds/groups.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { present } from "../../kubernetes/values/present.ts";
import { createdGateway, poolGatewayType, routeTimeouts } from "../gateways/index.ts";
import { apiMatches } from "../routing/api-paths.ts";
import type { RouterRole } from "../spec/role.ts";
import { gatewayName, httpRouteName, inferencePoolName } from "../topology/names.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";

/** The Gateway that a router creates, the user's spec as written, or undefined where it creates none. */
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
 * The route to the pool, or undefined for a router that neither names nor creates a Gateway. The user's
 * parents, hostnames and rules are kept; every rule's backend is the pool. Without rules the route serves the paths of
 * clients' APIs. A rule without timeouts has those that its gateway needs.
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
