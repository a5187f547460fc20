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
      .summary(
        "say what a request for a model would get on a pool, or where a request went, and why",
      )
      .description(
        "Reads what the endpoint picker of a pool reads and says who registered a model, which rule decides, what the model servers are asked for and with which priority. With --request-id asks the pickers which endpoints there were for a request, what each plugin made of them and which was chosen. Reads only.",
      )
      .argument("[model]", "the model of a request, as clients send it")
      .option("--pool <name>", "name of the InferencePool")
      .option("--request-id <id>", "the x-request-id of a request, in place of a model"),
    "the pool",
  )
    .addHelpText("after", examples)
    .action(
      (model: string | undefined, { requestId, pool, ...reading }: Options, command: Command) => {
        if ((model === undefined) === (requestId === undefined))
          command.error("error: give a model or --request-id, and not both");
        if (requestId === undefined && pool === undefined)
          command.error("error: required option '--pool <name>' not specified");
        return action(async (terminal) => {
          if (requestId !== undefined) {
            const { explainRequest } = await import("../explain/explain-request.ts");
            return explainRequest({ ...reading, requestId, ...(pool && { pool }) }, terminal);
          }
          const { explain } = await import("../explain/explain.ts");
          return explain(model as string, { ...reading, pool: pool as string }, terminal);
        });
      },
    );

const examples = `
Ends with 1 where the request would be refused, and where no picker knows of
it: each keeps its last decisions (--explain-history-size of the picker). Pickers
that ask readers for a token take the one in PULUMI_INFERENCE_TOKEN.

Examples:
  pulumi-inference explain npc-bot --pool llama-2-pool -n platform
  pulumi-inference explain gpt-4o --pool qwen-pool --format json | jq .targets
  pulumi-inference explain --request-id 0b1f0e0a-62f1-4c7c-8f0e-3d2c5a1b9e77`;
