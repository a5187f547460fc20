import { isAccelerator } from "../spec/kubernetes-words.ts";
import type { Container, ContainerPort, PodSpec } from "../spec/role.ts";
import { containerResources, type ResourceList } from "./pod-resources.ts";
import { toUnits } from "./quantity.ts";

/** Accelerators of a list of resources, of whatever make. */
export function acceleratorsIn(resources: ResourceList): number {
  let count = 0;
  for (const [resource, quantity] of resources) {
    if (isAccelerator(resource)) count += toUnits(quantity);
  }
  return count;
}

/** Accelerators that a container asks for. */
export const acceleratorsOf = (container: Container): number =>
  acceleratorsIn(containerResources(container));

/**
 * The container that runs the inference engine: the first that asks for an accelerator, since a sidecar may
 * stand before it; without accelerators the first.
 */
export function engineIndexOf(spec: PodSpec): number {
  return Math.max(
    0,
    spec.containers.findIndex((container) => acceleratorsOf(container) > 0),
  );
}

export function engineOf(spec: PodSpec): Container {
  return spec.containers[engineIndexOf(spec)] as Container;
}

/** Where model servers listen when a template declares no port: the default of vLLM. */
export const defaultServingPort = 8000;

/**
 * The port that serves the model: the one named `http`, else the only one, else 8000 where none is declared.
 * Undefined where several are declared and none is named.
 */
export function servingPortOf(engine: Container): number | undefined {
  const ports = engine.ports ?? [];
  if (ports.length === 0) return defaultServingPort;
  return declaredServingPort(ports)?.containerPort;
}

export function declaredServingPort(ports: readonly ContainerPort[]): ContainerPort | undefined {
  return ports.find((port) => port.name === "http") ?? (ports.length === 1 ? ports[0] : undefined);
}
