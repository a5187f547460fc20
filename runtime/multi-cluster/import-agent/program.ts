import type { Program } from "../../manager/program.ts";
import { flags } from "./flags.ts";
import type { ImportAgentOptions } from "./start.ts";

/** Writes the clusters of an import to a file, for a picker that chooses among clusters. */
export const program: Program<typeof flags, ImportAgentOptions> = {
  name: "import-agent",
  title: "the import agent",
  summary:
    "Writes the clusters of an InferencePoolImport to a file, for a picker that chooses among clusters.",
  usage: "--import NAME --write-clusters FILE [flags]",
  flags,
  options({ import: { clustersFile, namespace, ...location }, logs }, env) {
    return {
      location: { ...location, namespace: namespace ?? (env.NAMESPACE || "default") },
      clustersFile,
      verbosity: logs.verbosity,
    };
  },
  start: async (options, log) => (await import("./start.ts")).startImportAgent(options, log),
};
