import type { CommandLine } from "../command-line/started-programs.ts";
import type { GroupPort } from "../executors/executor.ts";
import { groupPortIn } from "../executors/index.ts";
import type { Finding } from "../invariant.ts";

/** Probes of leaders ask where the model answers: what a spec and a stack are both held to. */

export const probeFields = ["startupProbe", "readinessProbe", "livenessProbe"] as const;

interface Probed extends CommandLine {
  readonly ports?:
    | ReadonlyArray<{ readonly name?: string | undefined; readonly containerPort: number }>
    | undefined;
}

/**
 * Probes that ask the port where the pods of a group meet. It opens long before the model is loaded, so that they say
 * nothing about it. Paths start at the container.
 *
 * @param groupPort where the plan lets the group meet, if it does
 */
export function* probesOfGroupPort(
  engine: Probed,
  groupPort?: GroupPort | undefined,
): Iterable<Finding> {
  const meeting = groupPort?.port ?? groupPortIn(engine);
  if (meeting === undefined) return;
  const user = groupPort?.user ?? "its pods form the group";
  for (const field of probeFields) {
    const port = probedPort((engine as Record<string, unknown>)[field], engine, groupPort);
    if (port !== meeting) continue;
    yield {
      path: [field],
      given: `checks port ${meeting}, on which ${user}`,
      allowed:
        "the port that serves the model, because the other port opens long before the model is loaded",
      fix:
        field === "readinessProbe"
          ? "Change the probe's port, or remove the probe to use the plan's."
          : "Change the probe's port.",
    };
  }
}

/** The number of the port that a probe asks, also by name; undefined where it asks none, or that is not known yet. */
export function probedPort(
  probe: unknown,
  { ports = [] }: Probed,
  groupPort?: GroupPort | undefined,
): number | undefined {
  const { httpGet, tcpSocket, grpc } = (probe ?? {}) as Record<
    string,
    { port?: unknown } | undefined
  >;
  const port = httpGet?.port ?? tcpSocket?.port ?? grpc?.port;
  if (typeof port === "number") return port;
  if (typeof port !== "string") return undefined;
  if (/^\d+$/.test(port)) return Number(port);
  const declared = ports.find(({ name }) => name === port)?.containerPort;
  return declared ?? (port === groupPort?.name ? groupPort.port : undefined);
}
