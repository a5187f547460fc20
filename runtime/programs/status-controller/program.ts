import type { Environment, Program } from "../../manager/program.ts";
import { flags, type Values } from "./flags.ts";

/** Settings from flags and the environment. */
export type StatusControllerOptions = ReturnType<typeof options>;

const options = (
  { cluster, election, pickers, recycling, operations }: Values,
  env: Environment,
) => ({
  ...cluster,
  pickers,
  ...recycling,
  operations,
  /** Undefined without leader election. */
  leaseNamespace: election.enabled
    ? (election.namespace ?? (env.NAMESPACE || "default"))
    : undefined,
  verbosity: operations.verbosity,
});

export const program: Program<typeof flags, StatusControllerOptions> = {
  name: "status-controller",
  title: "the status controller",
  summary:
    "Writes the status of InferenceServices, LLMServices, LLMServerPools and InferenceModelRewrites.",
  flags,
  problems: ({ pickers }) =>
    pickers.intervalMs < 100
      ? ["--picker-metrics-interval: give at least 100ms, since each interval reads every picker"]
      : [],
  options,
  start: async (options, log) => (await import("./start.ts")).startStatusController(options, log),
};
