import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import type { FlagGroup } from "./command-line.ts";
import { boolean, integer, port, textOf } from "./flag-type.ts";

/** How much a program logs. */
export const verbosityFlag = {
  name: "v",
  shorthand: "v",
  summary: "How much is logged; from 4 on what helps to find an error.",
  type: integer(0, 9),
  default: 2,
} as const;

/** Whether replicas elect a leader. */
export const leaderElectFlag = {
  name: "leader-elect",
  summary: "Whether replicas agree by a Lease on who writes.",
  type: boolean,
  default: true,
} as const;

/** The flag that names the API server of a program's own cluster. */
export const kubeconfigFlag = {
  name: "kubeconfig",
  summary:
    "File that says where the API server is. Without the flag KUBECONFIG, else the service account.",
  type: textOf("FILE"),
} as const;

/**
 * The flags by which every controller is observed.
 *
 * @param pages what the metrics port serves, such as `/metrics`
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
      metricsAuth: {
        name: "metrics-endpoint-auth",
        summary: `Asks the API server who may read ${pages}.`,
        type: boolean,
        default: true,
      },
      healthPort: {
        name: "health-port",
        summary: "Port of the gRPC health service.",
        type: port,
        default: runtimePorts.health,
      },
      verbosity: verbosityFlag,
    },
  }) satisfies FlagGroup;
