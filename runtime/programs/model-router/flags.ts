import { servingFlags } from "../../epp/flags/serving.ts";
import { tlsFlags } from "../../epp/flags/tls.ts";
import type { FlagTable } from "../../manager/flags/command-line.ts";
import { type FlagType, listOf } from "../../manager/flags/flag-type.ts";
import { kubeconfigFlag, operationsFlags } from "../../manager/flags/operations.ts";

const gateway: FlagType<string> = {
  placeholder: "NAMESPACE/NAME",
  allowed: "a namespace and a name with a slash between them",
  parse: (text) => (/^[^/\s]+\/[^/\s]+$/.test(text) ? text : undefined),
  show: String,
};

const { healthPort: _health, leaderElection: _election, ...serving } = servingFlags.flags;

export const flags = {
  routes: {
    title: "Routes",
    flags: {
      gateways: {
        name: "gateway",
        summary:
          "Gateway that calls the model router; HTTPRoutes of other Gateways do not count. Without the flag, HTTPRoutes of all Gateways count.",
        type: listOf(gateway),
        default: [],
      },
      kubeconfig: kubeconfigFlag,
    },
  },
  serving: { ...servingFlags, flags: serving },
  tls: tlsFlags,
  operations: operationsFlags("/metrics and /debug"),
} satisfies FlagTable;
