import type { Program } from "../../manager/program.ts";
import { parentContradictions } from "../import-picker/contradictions.ts";
import { flags } from "./flags.ts";
import type { ParentsAgentOptions } from "./start.ts";

/** Writes the route to an imported pool, for gateways that do not accept imports. */
export const program: Program<typeof flags, ParentsAgentOptions> = {
  name: "parents-agent",
  title: "the parents agent",
  summary:
    "Writes the route of an imported pool and its backends (gateways of other clusters), and updates them when the InferencePoolImport or the health of the gateways changes.",
  usage: "--import NAME --imported-pool CONFIGMAP [flags]",
  flags,
  problems: ({ parent }) => parentContradictions(parent),
  options({ import: { name, namespace, ...rest }, parent, logs }, env) {
    return {
      location: { name, namespace: namespace ?? (env.NAMESPACE || "default"), file: undefined },
      ...rest,
      parent,
      verbosity: logs.verbosity,
    };
  },
  start: async (options, log) => (await import("./start.ts")).startParentsAgent(options, log),
};
