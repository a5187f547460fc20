import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import type { FlagGroup } from "./command-line.ts";
import { integer, onByDefault, port, textOf } from "./flag-type.ts";

/** Verbosity of a program's log. */
export const verbosityFlag = {
  name: "v",
  shorthand: "v",
  summary: "Verbosity of the log; 4 and more show debug lines.",
  type: integer(0, 9),
  default: 2,
} as const;

export const leaderElectFlag = onByDefault(
  "leader-elect",
  "Whether replicas elect a leader with a Lease; only the leader writes.",
);

/** Flag for the API server of the cluster that the program runs in. */
export const kubeconfigFlag = {
  name: "kubeconfig",
  summary: "Kubeconfig file. Without the flag: $KUBECONFIG, otherwise the service account.",
  type: textOf("FILE"),
} as const;

/**
 * Flags for the health service, metrics and log of every controller.
 *
 * @param pages paths that the metrics port serves, such as `/metrics`
 */
export const operationsFlags = (pages: string) =>
  ({
    title: "Operations",
    flags: {
      metricsPort: {
        name: "metrics-port",
        summary: `Port of ${pages}.`,
        type: port,
        default: runtimePorts.metrics,
      },
      metricsAuth: onByDefault(
        "metrics-endpoint-auth",
        `Authorizes readers of ${pages} through the API server.`,
      ),
      healthPort: {
        name: "health-port",
        summary: "Port of the gRPC health service.",
        type: port,
        default: runtimePorts.health,
      },
      verbosity: verbosityFlag,
    },
  }) satisfies FlagGroup;
