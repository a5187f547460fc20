import { Command } from "commander";
import type { Action } from "../action.ts";
import { addReadingOptions } from "../options.ts";
import type { StatusOptions } from "../status/status.ts";

export const statusCommand = (action: Action) =>
  addReadingOptions(
    new Command("status")
      .argument("<service>", "name of an InferenceService")
      .summary("show the status of an InferenceService")
      .description(
        "Shows the status of an InferenceService: its roles, its router and its route, with reasons. Needs neither a controller nor an InferenceService object; without the object, reads the status from the LeaderWorkerSets, PodGroup, picker, pool and route. Changes nothing.",
      ),
    "the service",
  )
    .option(
      "-f, --file <file...>",
      "manifest of the service, if the cluster has no InferenceService object",
    )
    .option("-w, --watch", "poll every two seconds and print changes", false)
    .addHelpText("after", examples)
    .action((service: string, options: StatusOptions) =>
      action(async (terminal) =>
        (await import("../status/status.ts")).status(service, options, terminal),
      ),
    );

const examples = `
Exits with 1 if the service is not available. --watch runs until interrupted.

Examples:
  npx pulumi-inference status qwen -n models
  npx pulumi-inference status qwen --watch
  npx pulumi-inference status qwen -f service.yaml
  npx pulumi-inference status qwen --format json | jq '.components.decode.phase'`;
