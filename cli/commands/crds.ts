import { Command } from "commander";
import type { Action } from "../action.ts";
import { formatOption } from "../options.ts";

export const crdsCommand = (action: Action) =>
  new Command("crds")
    .summary("print the CustomResourceDefinitions of this project")
    .description(
      "Prints the CustomResourceDefinitions that the component InferenceCrds installs, for those who install them with kubectl. They are those of this version of the package.",
    )
    .addOption(formatOption("yaml", "json"))
    .addHelpText("after", examples)
    .action((options: { format: "yaml" | "json" }) =>
      action(async ({ out }) => {
        const { ownCrds } = await import("../../sdk/crds/own-kinds.ts");
        const { formatYamlStream } = await import("../output/yaml.ts");
        const crds = ownCrds();
        out.write(
          options.format === "yaml"
            ? formatYamlStream(crds)
            : `${JSON.stringify({ apiVersion: "v1", kind: "List", items: crds }, null, 2)}\n`,
        );
        return 0;
      }),
    );

const examples = `
Removing them removes every object of their kinds.

Examples:
  pulumi-inference crds | kubectl apply --server-side -f -
  pulumi-inference crds --format json | jq -r '.items[].metadata.name'`;
