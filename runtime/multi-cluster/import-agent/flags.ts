import type { FlagGroup, FlagTable } from "../../manager/flags/command-line.ts";
import { textOf } from "../../manager/flags/flag-type.ts";
import { verbosityFlag } from "../../manager/flags/operations.ts";

/** The import that an agent follows. */
export const importLocationFlags = {
  name: {
    name: "import",
    summary: "Name of the InferencePoolImport.",
    type: textOf("NAME"),
    required: "no import: give --import",
  },
  namespace: {
    name: "pool-namespace",
    summary: "Its namespace. Without the flag: $NAMESPACE, otherwise default.",
    type: textOf("NAMESPACE"),
  },
} satisfies FlagGroup["flags"];

export const flags = {
  import: {
    title: "Import",
    flags: {
      ...importLocationFlags,
      file: {
        name: "file-source",
        summary: "Reads the import from a YAML file, and reloads it when it changes.",
        type: textOf("FILE"),
      },
      clustersFile: {
        name: "write-clusters",
        summary:
          "Output file with the clusters' gateways, in the format of plugin multicluster-file-discovery of a global picker. Every change replaces the whole file.",
        type: textOf("FILE"),
        required: "nothing to write: give --write-clusters",
      },
    },
  },
  logs: { title: "Logs", flags: { verbosity: verbosityFlag } },
} satisfies FlagTable;
