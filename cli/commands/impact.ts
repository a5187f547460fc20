import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { ImpactOptions } from "../impact/impact.ts";
import { countUpTo, formatOption } from "../options.ts";

export const impactCommand = (action: Action) =>
  new Command("impact")
    .argument("[preview]", "folder of a Pulumi program, a file with its preview, or -", ".")
    .summary("show which replicas an update restarts, and which objects it replaces")
    .description(
      "Shows the effect of an update on each service: the replicas and GPUs that restart, the replicas that are away at the same time, the lowest number of replicas that serve during the update, and the objects that are replaced or deleted, with their causes and how to avoid them. Runs `pulumi preview --json --show-sames` in a folder, or reads its output from a file.",
    )
    .option("-s, --stack <name>", "stack to preview (default: the selected one)")
    .addOption(
      new Option(
        "--max-restarted-gpus <number>",
        "exit with 1 if the restarting pods use more than this number of GPUs",
      ).argParser(countUpTo(1_000_000, 0)),
    )
    .option("--no-replace", "exit with 1 if an object is replaced")
    .option("--no-delete", "exit with 1 if an object is deleted")
    .addOption(formatOption("table", "json", "markdown"))
    .addHelpText("after", examples)
    .action((preview: string, options: ImpactOptions) =>
      action(async (terminal) =>
        (await import("../impact/impact.ts")).printImpact(preview, options, terminal),
      ),
    );

const examples = `
AWAY is the maximum number of replicas that do not serve at the same time.
LOWEST is the minimum number of replicas that serve during the update.

Examples:
  npx pulumi-inference impact
  npx pulumi-inference impact infra --stack prod --max-restarted-gpus 16
  pulumi preview --json --show-sames | npx pulumi-inference impact -
  npx pulumi-inference impact preview.json --format markdown >> comment.md`;
