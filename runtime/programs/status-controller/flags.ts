import { pageAudience } from "../../../sdk/names.ts";
import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import type { FlagTable, FlagValues } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { listOf, offByDefault, port, textOf } from "../../manager/flags/flag-type.ts";
import {
  kubeconfigFlag,
  leaderElectFlag,
  operationsFlags,
} from "../../manager/flags/operations.ts";

export const flags = {
  cluster: {
    title: "Cluster",
    flags: {
      namespaces: {
        name: "namespaces",
        summary: "Namespaces whose objects get a status. Without the flag, all namespaces.",
        type: listOf(textOf("NAMESPACE")),
      },
      kubeconfig: kubeconfigFlag,
    },
  },
  election: {
    title: "Leader election",
    flags: {
      enabled: leaderElectFlag,
      namespace: {
        name: "lease-namespace",
        summary: "Namespace of the Lease. Without the flag: $NAMESPACE, otherwise default.",
        type: textOf("NAMESPACE"),
      },
    },
  },
  pickers: {
    title: "Endpoint pickers",
    flags: {
      intervalMs: {
        name: "picker-metrics-interval",
        summary:
          "Interval for reading from pickers whether objectives are met and targets are served.",
        type: duration,
        default: 30_000,
      },
      port: {
        name: "picker-metrics-port",
        summary: "Port of the pickers' metrics.",
        type: port,
        default: runtimePorts.metrics,
      },
      tokenFile: {
        name: "picker-token-file",
        summary: `File with a token of audience ${pageAudience}, for requests to pickers.`,
        type: textOf("FILE"),
      },
    },
  },
  recycling: {
    title: "Recycling",
    flags: {
      recyclesPods: offByDefault(
        "recycle-pods",
        "Deletes prefillers and decoders that cause failures, if resilience.recycle of their service allows it.",
      ),
    },
  },
  operations: operationsFlags("/metrics"),
} satisfies FlagTable;

export type Values = FlagValues<typeof flags>;
