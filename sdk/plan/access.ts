import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { RestrictedRoute } from "../gateways/access-support.ts";
import {
  accessSupportOf,
  createdGateway,
  poolGatewayType,
  type WrittenGateway,
} from "../gateways/index.ts";
import { defaultTenantHeader } from "../spec/access.ts";
import type { InferenceRouteSpec } from "../spec/inference-route.ts";
import type { RouterRole } from "../spec/role.ts";
import {
  accessPolicyName,
  gatewayName,
  httpRouteName,
  routeAccessPolicyName,
} from "../topology/names.ts";
import type { Parsed } from "../validate/spec-kind.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";
import type { PoolRequests } from "./picker/picker-task.ts";

/** Returns the handling of requests by a router's picker: with `access`, the gateway names the tenants. */
export const requestsOf = ({ access, tenantHeader, unparsedBodies }: RouterRole): PoolRequests => ({
  tenantHeader: tenantHeader ?? (access && defaultTenantHeader),
  unparsedBodies,
});

/** Returns the policies of the gateway that restrict the clients of a service. */
export function planAccess(context: PlanContext, router: RouterRole): readonly Manifest[] {
  const { access, gateway } = router;
  if (access === undefined) return [];
  const service = context.metadata.name;
  const { tenantHeader = defaultTenantHeader } = requestsOf(router);
  return policiesOf(gateway, {
    access,
    route: httpRouteName(service),
    gateway: createdGateway(gateway) === undefined ? undefined : gatewayName(service),
    tenantHeader,
    metadata: objectMeta(context, accessPolicyName(service)),
  });
}

/** Returns the policies of the gateway that restrict the clients of an InferenceRoute. */
export function planRouteAccess({
  metadata,
  spec: { access, gateway },
}: Parsed<InferenceRouteSpec>): readonly Manifest[] {
  if (access === undefined) return [];
  return policiesOf(gateway, {
    access,
    route: metadata.name,
    gateway: undefined,
    tenantHeader: defaultTenantHeader,
    metadata: objectMeta({ metadata, owner: {} }, routeAccessPolicyName(metadata.name)),
  });
}

const policiesOf = (gateway: WrittenGateway | undefined, route: RestrictedRoute) =>
  accessSupportOf(poolGatewayType(gateway))?.objects(route) ?? [];
