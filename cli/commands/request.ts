import { Command, InvalidArgumentError } from "commander";
import type { Action } from "../action.ts";
import { addReadingOptions, parseCount } from "../options.ts";
import type { RequestOptions } from "../request/request.ts";

export const requestCommand = (action: Action) =>
  addReadingOptions(
    new Command("request")
      .argument("<service>", "name of an InferenceService")
      .argument("<prompt>", "text of the prompt")
      .summary("send one request to a service and show which pod answered")
      .description(
        "Finds the service's route and the address of its Gateway, sends one chat completion as a client would, and prints the response. Prints model, URL, pod, times and tokens on stderr. If the Gateway has no address, as on kind or minikube, uses a port-forward to the Gateway's pod.",
      ),
    "the service",
  )
    .option(
      "--model <name>",
      "model to request (default: the first that the service registers, else the first of GET /v1/models)",
    )
    .option(
      "--url <url>",
      "base URL of the OpenAI API, such as http://localhost:8080/v1 (default: found through the cluster)",
    )
    .option("--completion", "send a completion instead of a chat completion", false)
    .option(
      "--stream",
      "request a stream, print it as it arrives, and show the time to the first token",
      false,
    )
    .option("--max-tokens <count>", "maximum tokens of the response", parseCount, 128)
    .option(
      "-H, --header <header...>",
      "additional headers, such as 'Authorization: Bearer TOKEN'",
      parseHeader,
      {},
    )
    .option("--insecure", "accept any certificate of the gateway", false)
    .option("--timeout <seconds>", "timeout of the response", parseCount, 120)
    .addHelpText("after", examples)
    .action((service: string, prompt: string, options: RequestOptions, command: Command) => {
      if (prompt.trim() === "") command.error("error: the prompt is empty");
      return action(async (terminal) =>
        (await import("../request/request.ts")).request(service, prompt, options, terminal),
      );
    });

function parseHeader(text: string, headers: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*?)\s*$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError(`${JSON.stringify(text)} is not a header; write 'Name: value'.`);
  return { ...headers, [name.toLowerCase()]: value };
}

const examples = `
Exits with 1 if there is no answer, and prints one line with the reason and what
to do.

The name of the pod comes from this project's endpoint picker, if the gateway
sends responses through it. Needs read access to HTTPRoute, Gateway, LLMService
and pods; a port-forward also needs create on pods/portforward.

Examples:
  npx pulumi-inference request quickstart "Why is the sky blue?"
  npx pulumi-inference request quickstart "Count." --stream --max-tokens 50
  npx pulumi-inference request llama "Hello" -n models --model npc-bot
  npx pulumi-inference request llama "Hello" -H "Authorization: Bearer $TOKEN"
  npx pulumi-inference request chat "Hi" --url "$(pulumi stack output url)"
  npx pulumi-inference request quickstart "Hi" --format json | jq -r .pod`;
