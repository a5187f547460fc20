import { defaultPortOf, flaggedPort } from "../engines/server.ts";
import type { Container, ContainerPort, PodSpec } from "../spec/role.ts";
import { acceleratorsOf } from "./accelerators.ts";

/**
 * The container that runs the inference engine: the first that asks for an accelerator, since a sidecar may
 * stand before it; without accelerators the first.
 */
export function engineIndexOf(spec: PodSpec): number {
  return Math.max(
    0,
    spec.containers.findIndex((container) => acceleratorsOf(container) !== 0),
  );
}

export function engineOf(spec: PodSpec): Container {
  return spec.containers[engineIndexOf(spec)] as Container;
}

/** Port of model servers if neither template nor engine says it: the default of vLLM. */
export const defaultServingPort = 8000;

/**
 * The port that serves the model: the one named `http`, else the only one. Where none is declared that of the
 * engine's `--port`, else the engine's default, else 8000. Undefined where several are declared and none is named.
 */
export function servingPortOf(engine: Container): number | undefined {
  const ports = engine.ports ?? [];
  if (ports.length === 0) return flaggedPort(engine) ?? defaultPortOf(engine) ?? defaultServingPort;
  return declaredServingPort(ports)?.containerPort;
}

/**
 * The port of the engine's own server, which may stand behind a sidecar: what `--port` says, else the declared one,
 * else the router's, else the engine's default. Undefined where none of them is known.
 */
export const serverPortOf = (engine: Container, routed?: number): number | undefined =>
  flaggedPort(engine) ??
  declaredServingPort(engine.ports ?? [])?.containerPort ??
  routed ??
  ((engine.ports ?? []).length === 0 ? defaultPortOf(engine) : undefined);

/** Containers that run as long as the pod; an init container that restarts always is one of them. */
export const serversOf = ({
  containers,
  initContainers = [],
}: {
  readonly containers: readonly unknown[];
  readonly initContainers?:
    | ReadonlyArray<{ readonly name?: unknown; readonly restartPolicy?: unknown }>
    | undefined;
}): number =>
  containers.length +
  initContainers.filter(({ restartPolicy }) => restartPolicy === "Always").length;

export function declaredServingPort(ports: readonly ContainerPort[]): ContainerPort | undefined {
  return ports.find((port) => port.name === "http") ?? (ports.length === 1 ? ports[0] : undefined);
}
