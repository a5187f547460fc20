import type { InferenceRole, Role, RouterRole } from "../spec/role.ts";
import { isRouter } from "../spec/role.ts";
import { targetPortOf } from "./serving-port.ts";

/** Returns the ports of a service's pool: those that the router names, else the one that the routed roles serve on. */
export const poolPortsOf = (
  roles: readonly InferenceRole[],
  router: RouterRole,
): readonly number[] => router.targetPorts ?? [targetPortOf(roles, router)];

/** A router with the first of its ports as the one that probes and roles go by. Other roles stay as they are. */
export function withFirstPort<R extends Role>(role: R): R {
  if (!isRouter(role) || role.targetPorts === undefined) return role;
  return { ...role, targetPort: role.targetPort ?? role.targetPorts[0] };
}
