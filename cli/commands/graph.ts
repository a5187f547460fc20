import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { GraphOptions } from "../graph/graph.ts";
import { addInputs, inputsOf, pluginModulesOption, webhookPluginUrlsOption } from "../options.ts";

export const graphCommand = (action: Action) =>
  addInputs(new Command("graph"))
    .summary("draw the objects of a plan and the traffic between them")
    .description(
      "Prints a Mermaid flowchart of the Kubernetes objects that render prints, and of the traffic between them: the client, gateways, routes, pools, endpoint pickers, engines with their gangs and KV transfers, and the objects that these need. Give the folder of a Pulumi program instead of manifests to draw its preview. Needs no cluster.",
    )
    .addOption(
      new Option("--service <name>", "draw the objects of this service, pool or ModelServing only"),
    )
    .addOption(pluginModulesOption())
    .addOption(webhookPluginUrlsOption())
    .option("-s, --stack <name>", "stack whose configuration the program reads", "dev")
    .addHelpText("after", examples)
    .action((paths: string[], options: GraphOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      return action(async (terminal) =>
        (await import("../graph/graph.ts")).printGraph(inputs, options, terminal),
      );
    });

const examples = `
GitHub, GitLab and most Markdown viewers draw Mermaid text. Mermaid's own
command line, \`npx @mermaid-js/mermaid-cli -i chat.mmd\`, draws an SVG of it.

Examples:
  npx pulumi-inference graph service.yaml
  npx pulumi-inference graph manifests/ --service chat > chat.mmd
  npx pulumi-inference graph examples/quickstart`;
