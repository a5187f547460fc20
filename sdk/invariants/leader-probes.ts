import { type CommandLine, wordsOf } from "../engines/command-line.ts";
import { meetingPortOf, type Rendezvous } from "../executors/rendezvous.ts";
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
 * @param rendezvous where the plan lets the group meet, if it does
 */
export function* probesOfRendezvous(
  engine: Probed,
  rendezvous?: Rendezvous | undefined,
): Iterable<Finding> {
  const meeting = rendezvous?.port ?? meetingPortOf(wordsOf(engine));
  if (meeting === undefined) return;
  const user = rendezvous?.user ?? "its pods meet";
  for (const field of probeFields) {
    const port = probedPort((engine as Record<string, unknown>)[field], engine, rendezvous);
    if (port !== meeting) continue;
    yield {
      path: [field],
      given: `asks port ${meeting}, where ${user}`,
      allowed: "the port that serves the model: the other opens long before the model answers",
      fix:
        field === "readinessProbe"
          ? "Change its port, or leave it out for the plan's own."
          : "Change its port.",
    };
  }
}

/** The number of the port that a probe asks, also by name; undefined where it asks none, or that is not known yet. */
function probedPort(
  probe: unknown,
  { ports = [] }: Probed,
  rendezvous: Rendezvous | undefined,
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
  return declared ?? (port === rendezvous?.name ? rendezvous.port : undefined);
}
