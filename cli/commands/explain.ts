import { Command } from "commander";
import type { Action } from "../action.ts";
import type { ExplainOptions } from "../explain/explain.ts";
import { addReadingOptions } from "../options.ts";

export const explainCommand = (action: Action) =>
  addReadingOptions(
    new Command("explain")
      .summary("say what a request for a model would get on a pool, and why")
      .description(
        "Reads what the endpoint picker of a pool reads and says who registered a model, which rule decides, what the model servers are asked for and with which priority. Reads only.",
      )
      .argument("<model>", "the model of a request, as clients send it")
      .requiredOption("--pool <name>", "name of the InferencePool"),
    "the pool",
  )
    .addHelpText("after", examples)
    .action((model: string, options: ExplainOptions) =>
      action(async (terminal) => {
        const { explain } = await import("../explain/explain.ts");
        return explain(model, options, terminal);
      }),
    );

const examples = `
Ends with 1 where the request would be refused.

Examples:
  pulumi-inference explain npc-bot --pool llama-2-pool -n platform
  pulumi-inference explain gpt-4o --pool qwen-pool --format json | jq .targets`;
