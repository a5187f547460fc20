import { Command } from "commander";
import type { Action } from "../action.ts";
import { addReadingOptions, type ReadingOptions } from "../options.ts";

interface Options extends ReadingOptions {
  readonly pool?: string;
  readonly requestId?: string;
}

export const explainCommand = (action: Action) =>
  addReadingOptions(
    new Command("explain")
      .summary("explain how a pool routes a model, or why a request was sent to its endpoint")
      .description(
        "Shows how a pool handles requests for a model: the LLMService that registered it, the rewrite rule that applies, the model names that servers receive, and the priority. With --request-id, shows the candidate endpoints of one request, the result of each plugin, and the chosen endpoint, as the pickers recorded them. Changes nothing.",
      )
      .argument("[model]", "model name, as clients send it")
      .option("--pool <name>", "name of the InferencePool")
      .option("--request-id <id>", "x-request-id of a request, instead of a model"),
    "the pool",
  )
    .addHelpText("after", examples)
    .action(
      (model: string | undefined, { requestId, pool, ...reading }: Options, command: Command) => {
        if ((model === undefined) === (requestId === undefined))
          command.error("error: give a model or --request-id, and not both");
        return action(async (terminal) => {
          if (requestId !== undefined) {
            const { explainRequest } = await import("../explain/explain-request.ts");
            return explainRequest({ ...reading, requestId, ...(pool && { pool }) }, terminal);
          }
          const { explain } = await import("../explain/explain.ts");
          return explain(model as string, { ...reading, pool }, terminal);
        });
      },
    );

const examples = `
Exits with 1 if the request would be refused, or if no picker recorded it. Each
picker keeps its latest decisions (its flag --explain-history-size). If pickers
require a token, set PULUMI_INFERENCE_TOKEN.

Examples:
  npx pulumi-inference explain npc-bot --pool llama-2-pool -n platform
  npx pulumi-inference explain gpt-4o --pool qwen --format json | jq .targets
  npx pulumi-inference explain --request-id 0b1f0e0a-62f1-4c7c-8f0e-3d2c5a1b9e77`;
