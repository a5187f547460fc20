import { Command } from "commander";
import type { Action } from "../action.ts";
import { addReadingOptions } from "../options.ts";
import type { StatusOptions } from "../status/status.ts";

export const statusCommand = (action: Action) =>
  addReadingOptions(
    new Command("status")
      .argument("<service>", "name of an InferenceService")
      .summary("say how an InferenceService is doing")
      .description(
        "Says how an InferenceService is doing: its roles, its router and its route, with reasons. Looks for itself, so that no controller is needed, and no InferenceService object: what it knows of a service without one is what its LeaderWorkerSets, PodGroup, picker, pool and route tell. Reads only.",
      ),
    "the service",
  )
    .option(
      "-f, --file <file...>",
      "manifest of the service, where the cluster has no InferenceService object",
    )
    .option("-w, --watch", "look every two seconds and print what changed", false)
    .addHelpText("after", examples)
    .action((service: string, options: StatusOptions) =>
      action(async (terminal) => {
        const { status } = await import("../status/status.ts");
        return status(service, options, terminal);
      }),
    );

const examples = `
Ends with 1 where the service is not available. --watch goes on until it is
interrupted.

Examples:
  pulumi-inference status qwen -n models
  pulumi-inference status qwen --watch
  pulumi-inference status qwen -f service.yaml
  pulumi-inference status qwen --format json | jq '.components.decode.phase'`;
