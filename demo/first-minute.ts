import type OpenAI from "openai";
import { findEnvoy } from "../testing/envoy/install.ts";
import { runtimeBundle } from "../testing/processes/runtime-bundle.ts";
import type { Builds } from "./builds.ts";
import { gpusPerNode } from "./location.ts";
import { painted, paintedPatch, paintedStatuses } from "./paint.ts";
import { type Plan, planProgram, sourceOf } from "./plan.ts";
import { type PlannedGateway, startPlannedGateway } from "./planned-gateway.ts";
import { capacityText, elapsed, heading, kindCounts } from "./report.ts";
import { table } from "./table.ts";

/**
 * Shows what needs no cluster: a program, its plan, a refused program, the capacity, and a request through Envoy
 * and the endpoint picker.
 */
export async function showFirstMinute(folder: string, builds?: Builds): Promise<void> {
  // They take longest on a fresh machine, so they start first. The request waits for them.
  const installed = Promise.all([findEnvoy(), runtimeBundle()]);
  installed.catch(() => {});
  const planning = planProgram("two-nodes");
  planning.catch(() => {});
  let progress: string | undefined;
  const section = (title: string) => {
    const before = progress;
    progress = builds?.progress();
    if (progress !== undefined && progress !== before)
      console.error(table([["Meanwhile:", progress.trim()]]));
    heading(`${title} (${elapsed()})`);
  };

  section("1. A program for a model that needs two nodes of 8 GPUs");
  const source = sourceOf("two-nodes");
  console.log(source.replaceAll(/^(?=.)/gm, "  ").trimEnd());

  const plan = await planning;
  section("2. Its plan, from a preview without a cluster");
  console.log(table([[kindCounts(plan.objects.map(({ kind }) => kind))]]));
  console.log(messages(plan));
  if (plan.service === undefined) throw new Error("the program was refused");

  const refused = await planProgram("one-node");
  section("3. A program that would crash while it loads is refused");
  console.log(paintedPatch(changedLines(source, sourceOf("one-node"))));
  console.log(painted("red", messages(refused)));

  section("4. Capacity without GPUs: which replicas would start");
  console.log(paintedStatuses(capacityText(plan.service, gpusPerNode)));

  await installed;
  const gateway = await startPlannedGateway(plan.objects, folder);
  try {
    section("5. A chat through Envoy and the picker to simulated engines");
    await chat(gateway);
  } finally {
    await gateway.stop();
  }
}

const messages = ({ diagnostics }: Plan) =>
  diagnostics
    .flatMap(({ message }) => message.trim().split("\n"))
    .map((line) => table([[line.trim()]]))
    .join("\n");

/** Lines of a program that differ from another's, marked as in a patch. */
function changedLines(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ]
    .map((line) => `  ${line}`)
    .join("\n");
}

/** A beginning that all conversations share, long enough to be worth a cache hit. */
const instructions = "You teach physics to children. Use short sentences and no formulas. ".repeat(
  60,
);
const questions = ["Why is the sky blue?", "And at sunset?"];

/** Sends a conversation of two turns. The picker sends the second one to the pod that has cached the first. */
async function chat({ client, servers }: PlannedGateway): Promise<void> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: instructions }];
  const rows = [["QUESTION", "POD", "PROMPT TOKENS", "CACHED", "TIME"]];
  let answer = "";
  for (const content of questions) {
    messages.push({ role: "user", content });
    const sent = performance.now();
    const { data, response } = await client.chat.completions
      .create({ model: "deepseek-ai/DeepSeek-R1", messages, max_tokens: 12 })
      .withResponse();
    const milliseconds = Math.round(performance.now() - sent);
    answer = data.choices[0]?.message.content ?? "";
    messages.push({ role: "assistant", content: answer });
    const pod = response.headers.get("x-inference-pod") ?? "";
    const served = servers.find(({ name }) => name === pod)?.served.at(-1);
    const tokens = [served?.promptTokens, served?.cachedTokens].map(String);
    rows.push([content, pod, ...tokens, `${milliseconds} ms`]);
  }
  console.log(table(rows));
  console.log(table([[`The last answer: ${answer.trim().replaceAll(/\s+/g, " ")}`]]));
}
