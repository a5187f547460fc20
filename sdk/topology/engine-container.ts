import type { CommandLine } from "../command-line/started-programs.ts";
import { whatIsKnown } from "../engines/arguments.ts";
import { serverOf } from "../engines/index.ts";
import { flaggedPort, portByCommand } from "../engines/server.ts";
import type { Container, ContainerPort, PodSpec } from "../spec/role.ts";
import { acceleratorsOf } from "./accelerators.ts";

/**
 * The index of the container that runs the inference engine: the one whose command starts an engine, else the one with
 * an engine's image, else the first with accelerators, else the first. A sidecar may come before it.
 */
export function engineIndexIn(containers: readonly CommandLine[]): number {
  const scores = containers.map((container) => engineScore(container));
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}

function engineScore(container: CommandLine): number {
  const accelerators = acceleratorsOf(container as Container) === 0 ? 0 : 1;
  try {
    const { engine, isByCommand } = serverOf(container);
    return accelerators + (engine === undefined ? 0 : isByCommand ? 4 : 2);
  } catch {
    // Objects of a stack throw when a word is read that only the update reveals.
    return accelerators;
  }
}

export const engineIndexOf = (spec: PodSpec): number => engineIndexIn(spec.containers);

export function engineOf(spec: PodSpec): Container {
  return spec.containers[engineIndexOf(spec)] as Container;
}

/**
 * The port that serves the model: the declared one named `http`, else `--port`, else the only declared one if it has no
 * name, else the engine's default. Undefined if none of them is known.
 */
export function servingPortOf(engine: Container): number | undefined {
  const { ports = [] } = engine;
  const named = ports.find(({ name }) => name === "http");
  if (named !== undefined) return named.containerPort;
  const flagged = flaggedPort(engine);
  if (flagged !== undefined) return flagged;
  const [only] = ports.length === 1 ? ports : [];
  const byDefault = only?.name === undefined ? undefined : whatIsKnown(portByCommand(engine));
  return byDefault ?? only?.containerPort ?? whatIsKnown(portByCommand(engine));
}

/**
 * The port of the engine's server, which may be behind a sidecar: `--port`, else the declared one, else the
 * router's, else the engine's default. Undefined if none of them is known.
 */
export const serverPortOf = (engine: Container, routed?: number): number | undefined =>
  flaggedPort(engine) ??
  declaredServingPort(engine.ports ?? [])?.containerPort ??
  routed ??
  servingPortOf(engine);

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
