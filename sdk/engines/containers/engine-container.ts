import type { Container, ContainerPort, PodSpec } from "../../schemas/pod-template.ts";
import { acceleratorsOf } from "../accelerators/pod-accelerators.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { serverOf } from "../index.ts";
import { whatIsKnown } from "../options/arguments.ts";
import { flaggedPort, portByCommand } from "./server.ts";

/**
 * Returns the index of the container that runs the inference engine: the one whose command starts an engine, otherwise
 * the one with an engine's image, otherwise the first with accelerators, otherwise the first. A sidecar may precede
 * it.
 */
export function engineIndexIn(containers: readonly CommandLine[]): number {
  const scores = containers.map((container) => engineScore(container));
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}

function engineScore(container: CommandLine): number {
  const accelerators = acceleratorsOf(container) === 0 ? 0 : 1;
  try {
    const { engine, isByCommand } = serverOf(container);
    return accelerators + (engine === undefined ? 0 : isByCommand ? 4 : 2);
  } catch {
    // An object of a stack throws if code reads a word that only the update knows.
    return accelerators;
  }
}

export const engineIndexOf = (spec: PodSpec): number => engineIndexIn(spec.containers);

export function engineOf(spec: PodSpec): Container {
  return spec.containers[engineIndexOf(spec)] as Container;
}

/**
 * Returns the port that serves the model: the declared port `http`, otherwise `--port`, otherwise the only declared
 * port if it has no name, otherwise the engine's default. Undefined if none of them is known.
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
 * Returns the port of the engine's server, which may be behind a sidecar: `--port`, otherwise the declared port,
 * otherwise the router's port, otherwise the engine's default. Undefined if none of them is known.
 */
export const serverPortOf = (engine: Container, routed?: number): number | undefined =>
  flaggedPort(engine) ??
  declaredServingPort(engine.ports ?? [])?.containerPort ??
  routed ??
  servingPortOf(engine);

/** Returns the containers that run as long as the pod, including init containers with `restartPolicy: Always`. */
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
