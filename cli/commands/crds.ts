import { Command } from "commander";
import type { Action } from "../action.ts";
import { formatOption } from "../options.ts";

export const crdsCommand = (action: Action) =>
  new Command("crds")
    .summary("print the CustomResourceDefinitions of this project")
    .description(
      "Prints the CustomResourceDefinitions of this package version, to install them with kubectl instead of the component InferenceCrds.",
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
Deleting a CustomResourceDefinition deletes every object of its kind.

Examples:
  npx pulumi-inference crds | kubectl apply --server-side -f -
  npx pulumi-inference crds --format json | jq -r '.items[].metadata.name'`;
