import { isTls } from "../engines/server.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  isDisaggregated,
} from "../spec/inference-service.ts";
import { type InferenceRole, isMultiNode, type RouterRole } from "../spec/role.ts";
import { hasDecodeSidecar } from "./containers.ts";
import { declaredServingPort, engineOf, servingPortOf } from "./engine-container.ts";

/**
 * Port on which a role's pods serve the model: the router's, the role's, the one that a decoder's planned sidecar takes
 * over, else the engine's. Undefined if none is known.
 */
export function servingPortOfRole(role: InferenceRole, router?: RouterRole): number | undefined {
  const { spec } = role.template;
  const engine = engineOf(spec);
  const takesOver =
    role.componentType === "decoder" && role.sidecar !== false && !hasDecodeSidecar(spec);
  const declared = takesOver ? declaredServingPort(engine.ports ?? [])?.containerPort : undefined;
  return router?.targetPort ?? role.port ?? declared ?? servingPortOf(engine);
}

/** Roles that get requests through the router: prefillers and decoders where they work together, else all. */
export function routedRoles(roles: readonly InferenceRole[]): InferenceRole[] {
  const disaggregated = isDisaggregated(roles);
  return roles.filter((role) => !disaggregated || role.componentType !== "worker");
}

/** The pool's port: the one that the routed roles serve on. */
export function targetPortOf(roles: readonly InferenceRole[], router: RouterRole): number {
  const ports = routedRoles(roles).map((role) => servingPortOfRole(role, router));
  // A service whose port is not known is refused.
  return ports.find((port) => port !== undefined) as number;
}

/** Whether the pods that get requests through the router serve HTTPS, with certificates of their engines. */
export const servesTls = (spec: Pick<InferenceServiceSpec, "roles">): boolean =>
  routedRoles(inferenceRolesOf(spec)).some(({ template }) => isTls(engineOf(template.spec)));

/** Whether the plan adds the leader's readiness probe: in multi-node roles whose template has none. */
export function needsReadinessProbe(role: InferenceRole): boolean {
  return isMultiNode(role) && engineOf(role.template.spec).readinessProbe === undefined;
}
