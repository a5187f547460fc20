import type { InferenceRole, Role, RouterRole } from "../spec/role.ts";
import { isRouter } from "../spec/role.ts";
import { targetPortOf } from "./serving-port.ts";

/** Returns the ports of a service's pool: the router's ports, otherwise the port on which the routed roles serve. */
export const poolPortsOf = (
  roles: readonly InferenceRole[],
  router: RouterRole,
): readonly number[] => router.targetPorts ?? [targetPortOf(roles, router)];

/**
 * Returns a router with the first of its ports as the one for probes and roles. Other roles are returned unchanged.
 */
export function withFirstPort<R extends Role>(role: R): R {
  if (!isRouter(role) || role.targetPorts === undefined) return role;
  return { ...role, targetPort: role.targetPort ?? role.targetPorts[0] };
}
