import type { CommandLine } from "../../engines/command-line/started-programs.ts";
import { groupPortIn } from "../../engines/groups/index.ts";
import type { GroupPort } from "../../engines/interface/executor.ts";
import type { Finding } from "../../invariant.ts";

/**
 * Rule that the probes of a leader check the port that serves the model. Shared by the rules on specs and on stacks.
 */

export const probeFields = ["startupProbe", "readinessProbe", "livenessProbe"] as const;

interface Probed extends CommandLine {
  readonly ports?:
    | ReadonlyArray<{ readonly name?: string | undefined; readonly containerPort: number }>
    | undefined;
}

/**
 * Finds probes that check the port on which the pods form the group. This port opens long before the model is loaded,
 * so such a probe does not show that the model is ready. Paths start at the container.
 *
 * @param groupPort group port of the plan, if the plan forms the group
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
          ? "Change the probe's port, or remove the probe to use the planned probe."
          : "Change the probe's port.",
    };
  }
}

/**
 * Returns the number of the port that a probe checks, resolving a port name. Undefined if the probe has no port or the
 * port is not yet known.
 */
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
