import { hasDecodeSidecar } from "../engines/containers/containers.ts";
import {
  declaredServingPort,
  engineOf,
  servingPortOf,
} from "../engines/containers/engine-container.ts";
import { isMultiNode } from "../engines/containers/executor.ts";
import { isTls } from "../engines/containers/server.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  isDisaggregated,
} from "../spec/inference-service.ts";
import type { InferenceRole, RouterRole } from "../spec/role.ts";

/**
 * Returns the port on which a role's pods serve the model: the router's port, otherwise the role's port, otherwise the
 * port of a decoder's planned sidecar, otherwise the engine's port. Undefined if none is known.
 */
export function servingPortOfRole(role: InferenceRole, router?: RouterRole): number | undefined {
  const { spec } = role.template;
  const engine = engineOf(spec);
  const takesOver =
    role.componentType === "decoder" && role.sidecar !== false && !hasDecodeSidecar(spec);
  const declared = takesOver ? declaredServingPort(engine.ports ?? [])?.containerPort : undefined;
  return router?.targetPort ?? role.port ?? declared ?? servingPortOf(engine);
}

/**
 * Returns the roles that get requests through the router: prefillers and decoders if they work together, otherwise
 * all.
 */
export function routedRoles(roles: readonly InferenceRole[]): InferenceRole[] {
  const disaggregated = isDisaggregated(roles);
  return roles.filter((role) => !disaggregated || role.componentType !== "worker");
}

/** Returns the pool's port: the port on which the routed roles serve. */
export function targetPortOf(roles: readonly InferenceRole[], router: RouterRole): number {
  const ports = routedRoles(roles).map((role) => servingPortOfRole(role, router));
  // A service with an unknown port is refused.
  return ports.find((port) => port !== undefined) as number;
}

/** Whether the pods that get requests through the router serve HTTPS, with their engines' certificates. */
export const servesTls = (spec: Pick<InferenceServiceSpec, "roles">): boolean =>
  routedRoles(inferenceRolesOf(spec)).some(({ template }) => isTls(engineOf(template.spec)));

/** Whether the plan adds a readiness probe to the leader: for multi-node roles whose template has none. */
export function needsReadinessProbe(role: InferenceRole): boolean {
  return isMultiNode(role) && engineOf(role.template.spec).readinessProbe === undefined;
}
