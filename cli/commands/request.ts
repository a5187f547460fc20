import { Command, InvalidArgumentError } from "commander";
import type { Action } from "../action.ts";
import { addReadingOptions, parseCount } from "../options.ts";
import type { RequestOptions } from "../request/request.ts";

export const requestCommand = (action: Action) =>
  addReadingOptions(
    new Command("request")
      .argument("<service>", "name of an InferenceService")
      .argument("<prompt>", "what to ask")
      .summary("send one request to a service and say which pod answered")
      .description(
        "Finds the service's route and its Gateway's address, sends one chat completion as a client would, and prints the answer; on stderr model, URL, pod, times and tokens. Without an address of the Gateway, as on kind or minikube, it goes through a port-forward to the Gateway's pod.",
      ),
    "the service",
  )
    .option(
      "--model <name>",
      "model to ask for (default: the first that the service registers, else that GET /v1/models lists)",
    )
    .option(
      "--url <url>",
      "base URL of the OpenAI API, such as http://localhost:8080/v1, in place of looking for it",
    )
    .option("--completion", "send a completion in place of a chat completion", false)
    .option(
      "--stream",
      "ask for a stream, print it as it comes, and tell the time to the first token",
      false,
    )
    .option("--max-tokens <count>", "tokens of the answer at most", parseCount, 128)
    .option(
      "-H, --header <header...>",
      "further headers, as 'Authorization: Bearer TOKEN'",
      parseHeader,
      {},
    )
    .option("--insecure", "take any certificate of the gateway", false)
    .option("--timeout <seconds>", "how long the answer may take", parseCount, 120)
    .addHelpText("after", examples)
    .action((service: string, prompt: string, options: RequestOptions) =>
      action(async (terminal) => {
        const { request } = await import("../request/request.ts");
        return request(service, prompt, options, terminal);
      }),
    );

function parseHeader(text: string, headers: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*?)\s*$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError(`${JSON.stringify(text)} is no header; write 'Name: value'.`);
  return { ...headers, [name.toLowerCase()]: value };
}

const examples = `
Ends with 1 where no answer came, and says in one line why and what to do.

The pod is told by the endpoint picker of this project, behind gateways that
show it responses. Read are HTTPRoute, Gateway, LLMService and pods; a
port-forward needs create on pods/portforward.

Examples:
  pulumi-inference request quickstart "Why is the sky blue?"
  pulumi-inference request quickstart "Count to ten." --stream --max-tokens 50
  pulumi-inference request llama "Hello" -n models --model npc-bot
  pulumi-inference request llama "Hello" -H "Authorization: Bearer $TOKEN"
  pulumi-inference request quickstart "Hi" --url "$(pulumi stack output url)"
  pulumi-inference request quickstart "Hi" --format json | jq -r .pod`;
