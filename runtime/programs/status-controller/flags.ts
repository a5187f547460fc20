import { pageAudience } from "../../../sdk/topology/names.ts";
import { endpointPickerPorts } from "../../../sdk/topology/runtime-ports.ts";
import { type FlagTable, parseCommandLine } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { boolean, listOf, port, textOf } from "../../manager/flags/flag-type.ts";
import { flagHelp } from "../../manager/flags/help.ts";
import { kubeconfigFlag, operationsFlags } from "../../manager/flags/operations.ts";
import type { NothingToRun } from "../../manager/program.ts";

const flagTable = {
  namespaces: {
    name: "namespaces",
    group: "Cluster",
    summary: "Namespaces whose objects get a status. Without the flag those of all namespaces.",
    type: listOf(textOf("NAMESPACE")),
    default: undefined,
  },
  kubeconfig: kubeconfigFlag,
  leaderElect: {
    name: "leader-elect",
    group: "Leader election",
    summary: "Whether replicas agree by a Lease on who writes.",
    type: boolean,
    default: true,
  },
  leaseNamespace: {
    name: "lease-namespace",
    group: "Leader election",
    summary:
      "Namespace of the Lease; without the flag that of the environment variable NAMESPACE, else default.",
    type: textOf("NAMESPACE"),
    default: undefined,
  },
  pickerInterval: {
    name: "picker-metrics-interval",
    group: "Endpoint pickers",
    summary: "How often pickers are asked whether objectives are met and targets are served.",
    type: duration,
    default: 30_000,
  },
  pickerPort: {
    name: "picker-metrics-port",
    group: "Endpoint pickers",
    summary: "Port of their metrics.",
    type: port,
    default: endpointPickerPorts.metrics,
  },
  pickerTokenFile: {
    name: "picker-token-file",
    group: "Endpoint pickers",
    summary: `File with a token of audience ${pageAudience}, which pickers are shown.`,
    type: textOf("FILE"),
    default: undefined,
  },
  ...operationsFlags("/metrics"),
} satisfies FlagTable;

/** What the flags ask for. Durations in milliseconds. */
export interface StatusControllerFlags {
  /** Undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly kubeconfig: string | undefined;
  /** Namespace of the Lease; undefined without leader election. */
  readonly leaseNamespace: string | undefined;
  readonly pickerInterval: number;
  readonly pickerPort: number;
  /** Undefined where pickers are shown no token. */
  readonly pickerTokenFile: string | undefined;
  readonly metricsPort: number;
  readonly metricsAuth: boolean;
  readonly healthPort: number;
  readonly verbosity: number;
}

/** What a command line turns out to be. */
export type Invocation =
  | { readonly kind: "run"; readonly flags: StatusControllerFlags }
  | NothingToRun;

/** Reads the command line of `status-controller`. */
export function readFlags(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Invocation {
  const { values, help, problems } = parseCommandLine(flagTable, args);
  if (help) return { kind: "help", text: helpText() };
  const { pickerInterval, leaderElect, leaseNamespace, ...flags } = values;
  const wrong = [
    ...problems,
    ...(pickerInterval < 100
      ? ["--picker-metrics-interval: give at least 100ms, since every picker is asked each time"]
      : []),
  ];
  if (wrong.length > 0) return { kind: "wrong", problems: wrong };
  return {
    kind: "run",
    flags: {
      ...flags,
      pickerInterval,
      leaseNamespace: leaderElect ? (leaseNamespace ?? (env.NAMESPACE || "default")) : undefined,
    },
  };
}

const helpText =
  () => `Writes the status of InferenceServices, LLMServices, LLMServerPools and InferenceModelRewrites.

Usage: status-controller [flags]

${flagHelp(flagTable)}`;
