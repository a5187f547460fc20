import { createdGateway } from "../gateways/index.ts";
import { httpRouteName, inferencePoolName } from "../names.ts";
import { type InferenceService, routerOf } from "../spec/inference-service.ts";
import type { ObservedParents } from "./observed.ts";

/** The objects between a gateway and the service's picker. */
export interface RouteObjects {
  /** The service's InferencePool. */
  readonly pool: ObservedParents | undefined;
  /** The service's HTTPRoute. */
  readonly route: ObservedParents | undefined;
  /** Reason that the shared picker does not serve the pool. */
  readonly refusal: string | undefined;
}

/**
 * Returns the reason that no request reaches the service; undefined if a gateway has accepted the route or the service
 * has no route. Gateways need not report a status of a pool, but a refusal counts.
 */
export function routeProblem(
  { metadata, spec }: InferenceService,
  { pool, route }: RouteObjects,
): string | undefined {
  const router = routerOf(spec);
  if (router === undefined) return undefined;
  const poolName = `InferencePool ${inferencePoolName(metadata.name)}`;
  if (pool === undefined) return `${poolName} does not exist`;
  const refusal = objection(pool);
  if (refusal !== undefined) return `${poolName}: ${refusal}`;
  if (router.httproute === undefined && createdGateway(router.gateway) === undefined)
    return undefined;
  const routeName = `HTTPRoute ${httpRouteName(metadata.name)}`;
  if (route === undefined) return `${routeName} does not exist`;
  const problem = objection(route);
  if (problem !== undefined) return `${routeName}: ${problem}`;
  return holds(route, "Accepted") ? undefined : `no gateway has accepted ${routeName}`;
}

/** Returns a parent's reason to refuse an object, unless another parent accepts it. */
export function objection(object: ObservedParents): string | undefined {
  for (const type of ["Accepted", "ResolvedRefs"]) {
    if (holds(object, type)) continue;
    for (const { name, conditions } of object.parents) {
      const no = conditions.find((each) => each.type === type && each.status === "False");
      if (no !== undefined) return `${name} reports ${no.reason}: ${no.message}`;
    }
  }
  return undefined;
}

/** Returns the names of the parents that have accepted an object. */
export const acceptedBy = ({ parents }: ObservedParents): string[] =>
  parents
    .filter(({ conditions }) =>
      conditions.some(({ type, status }) => type === "Accepted" && status === "True"),
    )
    .map(({ name }) => name);

const holds = ({ parents }: ObservedParents, type: string) =>
  parents.some(({ conditions }) =>
    conditions.some((condition) => condition.type === type && condition.status === "True"),
  );
