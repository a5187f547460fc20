import { isScript } from "../engines/command-line/started-programs.ts";
import { hasDecodeSidecar } from "../engines/containers/containers.ts";
import { engineOf } from "../engines/containers/engine-container.ts";
import { flaggedPort } from "../engines/containers/server.ts";
import { engineNameOf } from "../engines/index.ts";
import type { Container, PodSpec } from "../schemas/pod-template.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  isDisaggregated,
  routerOf,
} from "../spec/inference-service.ts";
import type { InferenceRole } from "../spec/role.ts";
import { sidecarPorts } from "./runtime-ports.ts";
import { targetPortOf } from "./serving-port.ts";

/** The sidecar in front of a decoder's engine: pods that have one, and pods to which the plan adds one. */

/** Returns another container of a pod than its engine that declares a port. */
function otherServerAt(spec: PodSpec, port: number): Container | undefined {
  const engine = engineOf(spec);
  return [...spec.containers, ...(spec.initContainers ?? [])].find(
    (container) =>
      container !== engine &&
      (container.ports ?? []).some(({ containerPort }) => containerPort === port),
  );
}

/** The ports of a decoder's sidecar and of the engine behind it. */
export interface SidecarLocation {
  readonly servingPort: number;
  readonly enginePort: number;
}

/**
 * Returns the ports of the sidecar that the plan adds to a role's pods; undefined if it adds none, because the role is
 * not a decoder that works with prefillers behind a router, its template contains a sidecar, or its `sidecar` disables
 * it.
 */
export function plannedSidecarOf(
  role: InferenceRole,
  spec: Pick<InferenceServiceSpec, "roles">,
): SidecarLocation | undefined {
  const router = routerOf(spec);
  if (router === undefined || !isDisaggregated(spec.roles)) return undefined;
  if (role.componentType !== "decoder" || role.sidecar === false) return undefined;
  const pod = role.template.spec;
  const servingPort = targetPortOf(inferenceRolesOf(spec), router);
  if (hasDecodeSidecar(pod) || otherServerAt(pod, servingPort) !== undefined) return undefined;
  const written = flaggedPort(engineOf(pod));
  const moved =
    servingPort === sidecarPorts.modelServer ? sidecarPorts.serving : sidecarPorts.modelServer;
  return {
    servingPort,
    enginePort: written === undefined || written === servingPort ? moved : written,
  };
}

/** Whether arguments that are appended to a container's arguments reach its engine, which must be known. */
export const takesArguments = (engine: Container): boolean =>
  !isScript(engine) && engineNameOf(engine) !== undefined;
