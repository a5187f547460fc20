import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { GraphOptions } from "../graph/graph.ts";
import { addInputs, formatOption, inputsOf } from "../options.ts";

export const graphCommand = (action: Action) =>
  addInputs(new Command("graph"))
    .summary("draw the objects of a plan and the traffic between them")
    .description(
      "Draws the Kubernetes objects that render prints and the traffic between them: the client, gateways, routes, pools, endpoint pickers, engines with their gangs and KV transfers, and the objects that these need. Instead of manifests, the folder of one Pulumi program may be named. Needs no cluster.",
    )
    .addOption(
      new Option("--service <name>", "draw the objects of this service, pool or ModelServing only"),
    )
    .option("--plugin-modules <files...>", "modules whose default export is a list of pod plugins")
    .option("--webhook-plugin-urls <urls...>", "URLs that pod plugins of type Webhook may call")
    .option("-s, --stack <name>", "stack whose configuration a program gets", "dev")
    .addOption(formatOption("mermaid", "svg"))
    .addHelpText("after", examples)
    .action((paths: string[], options: GraphOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      return action(async (terminal) => {
        const { printGraph } = await import("../graph/graph.ts");
        return printGraph(inputs, options, terminal);
      });
    });

const examples = `
Mermaid is text that GitHub, GitLab and most viewers of Markdown draw. An SVG
follows the light or dark mode of its reader.

Examples:
  pulumi-inference graph service.yaml
  pulumi-inference graph manifests/ --service chat --format svg > chat.svg
  pulumi-inference graph examples/quickstart --format svg > quickstart.svg`;
