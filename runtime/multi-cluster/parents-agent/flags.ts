import type { FlagTable } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { offByDefault, textOf } from "../../manager/flags/flag-type.ts";
import { verbosityFlag } from "../../manager/flags/operations.ts";
import { importLocationFlags } from "../import-agent/flags.ts";
import { parentFlags } from "../import-picker/flags.ts";

export const flags = {
  import: {
    title: "Import",
    flags: {
      ...importLocationFlags,
      importedPool: {
        name: "imported-pool",
        summary:
          "Name of the ConfigMap that defines the route. The route and its backends are deleted with the ServiceAccount of that name.",
        type: textOf("NAME"),
        required: "no route: give --imported-pool",
      },
      failbackDelayMs: {
        name: "import-failback-delay",
        summary: "How long a failed gateway must keep responding before it gets requests again.",
        type: duration,
        default: 5_000,
      },
      allowLoopback: offByDefault(
        "remote-allow-loopback",
        "Accepts addresses of this host from other clusters, for clusters on one machine.",
      ),
    },
  },
  parent: parentFlags,
  logs: { title: "Logs", flags: { verbosity: verbosityFlag } },
} satisfies FlagTable;
