import type { ImportPlace } from "../../endpoint-picker/imports/open-import.ts";
import { type FlagTable, parseCommandLine } from "../../manager/flags/command-line.ts";
import { textOf } from "../../manager/flags/flag-type.ts";
import { flagHelp } from "../../manager/flags/help.ts";
import { verbosityFlag } from "../../manager/flags/operations.ts";
import type { NothingToRun } from "../../manager/program.ts";

const agentTable = {
  import: {
    name: "import",
    group: "Import",
    summary: "Name of the InferencePoolImport.",
    type: textOf("NAME"),
    default: undefined,
  },
  namespace: {
    name: "pool-namespace",
    group: "Import",
    summary: "Its namespace. Without the flag $NAMESPACE, else default.",
    type: textOf("NAMESPACE"),
    default: undefined,
  },
  fileSource: {
    name: "file-source",
    group: "Import",
    summary: "Reads the import from a YAML file, and again when it changes.",
    type: textOf("FILE"),
    default: undefined,
  },
  writeClusters: {
    name: "write-clusters",
    group: "Import",
    summary:
      "File that the clusters' gateways are written to, as the plugin multicluster-file-discovery of a global picker reads it. Replaced whole on every change.",
    type: textOf("FILE"),
    default: undefined,
  },
  verbosity: verbosityFlag("Logs"),
} satisfies FlagTable;

/** What the flags ask for. */
export interface ImportAgentOptions {
  readonly import: ImportPlace;
  readonly clustersFile: string;
  readonly verbosity: number;
}

/** What a command line turns out to be. */
export type AgentInvocation =
  | { readonly kind: "run"; readonly options: ImportAgentOptions }
  | NothingToRun;

/** Reads the command line of `import-agent`. */
export function readAgentOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): AgentInvocation {
  const { values, help, problems } = parseCommandLine(agentTable, args);
  if (help) return { kind: "help", text: helpText() };
  const { import: name, writeClusters } = values;
  if (problems.length > 0 || name === undefined || writeClusters === undefined)
    return {
      kind: "wrong",
      problems: [
        ...problems,
        ...(name === undefined ? ["no import: give --import"] : []),
        ...(writeClusters === undefined ? ["nothing to write: give --write-clusters"] : []),
      ],
    };
  const namespace = values.namespace ?? (env.NAMESPACE || "default");
  return {
    kind: "run",
    options: {
      import: { namespace, name, file: values.fileSource },
      clustersFile: writeClusters,
      verbosity: values.verbosity,
    },
  };
}

const helpText = () =>
  `Writes the clusters of an InferencePoolImport to a file, for a picker that chooses among clusters.\n\n${flagHelp(agentTable)}`;
