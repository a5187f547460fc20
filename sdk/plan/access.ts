import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { RestrictedRoute } from "../gateways/access-support.ts";
import {
  accessSupportOf,
  createdGateway,
  poolGatewayType,
  type WrittenGateway,
} from "../gateways/index.ts";
import { accessPolicyName, gatewayName, httpRouteName, routeAccessPolicyName } from "../names.ts";
import { defaultTenantHeader, tenantIssuerHeader } from "../spec/access.ts";
import type { InferenceRouteSpec } from "../spec/inference-route.ts";
import type { RouterRole } from "../spec/role.ts";
import type { Parsed } from "../validate/spec-kind.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";
import type { PoolRequests } from "./picker/picker-task.ts";

/** Returns the handling of requests by a router's picker: with `access`, the gateway names the tenants. */
export function requestsOf({ access, tenantHeader, unparsedBodies }: RouterRole): PoolRequests {
  if (access === undefined) return { tenantHeader, unparsedBodies };
  const named = tenantHeaders(access, tenantHeader);
  const headers = [named.issuerHeader, named.tenantHeader].filter((name) => name !== undefined);
  return { tenantHeader: headers.join(","), unparsedBodies };
}

/**
 * Returns the headers in which the gateway names a tenant: the claim of a token or the name of a key, and the issuer if
 * there are several. Equal claims of two issuers are two tenants.
 */
function tenantHeaders(
  { jwt }: NonNullable<RouterRole["access"]>,
  written = defaultTenantHeader,
): Pick<RestrictedRoute, "tenantHeader" | "issuerHeader"> {
  const [tenantHeader = defaultTenantHeader, issuer = tenantIssuerHeader] = written
    .split(",")
    .reverse();
  return { tenantHeader, issuerHeader: (jwt?.issuers.length ?? 0) > 1 ? issuer : undefined };
}

/** Returns the policies of the gateway that restrict the clients of a service. */
export function planAccess(context: PlanContext, router: RouterRole): readonly Manifest[] {
  const { access, gateway, tenantHeader } = router;
  if (access === undefined) return [];
  const service = context.metadata.name;
  return policiesOf(gateway, {
    access,
    route: httpRouteName(service),
    gateway: createdGateway(gateway) === undefined ? undefined : gatewayName(service),
    ...tenantHeaders(access, tenantHeader),
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
    ...tenantHeaders(access),
    metadata: objectMeta({ metadata, owner: {} }, routeAccessPolicyName(metadata.name)),
  });
}

const policiesOf = (gateway: WrittenGateway | undefined, route: RestrictedRoute) =>
  accessSupportOf(poolGatewayType(gateway))?.objects(route) ?? [];
