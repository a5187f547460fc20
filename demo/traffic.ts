import type OpenAI from "openai";
import { label } from "../sdk/names.ts";
import type { LiveTraffic } from "../testing/traffic/live-traffic.ts";
import { liveTable } from "./table.ts";

/** Conversations and their turns. The prompt of a turn contains all turns before it. */
const conversations = 6;
const turns = 5;
/** Conversations of one course share their system prompt. */
const courses = ["astronomy", "baking", "chess"];
const instructions = (course: string) =>
  `You are a patient teacher of ${course}. Answer in plain words. `.repeat(12);

/** Sends conversations through a gateway and shows which pods served them. */
export async function showTraffic(traffic: LiveTraffic): Promise<void> {
  await converse(traffic);
  await crowd(traffic);
}

async function converse({ client, servers }: LiveTraffic): Promise<void> {
  const said = Array.from(
    { length: conversations },
    (_, at): OpenAI.ChatCompletionMessageParam[] => [
      { role: "system", content: instructions(courses[at % courses.length] as string) },
      {
        role: "user",
        content: `Student ${at}: where do I begin, and what comes next? `.repeat(4),
      },
    ],
  );
  const live = liveTable(process.stdout);
  const latencies: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    await Promise.all(
      said.map(async (messages) => {
        const sent = performance.now();
        const { choices } = await client.chat.completions.create({
          model: "demo",
          messages,
          max_tokens: 12,
        });
        latencies.push(performance.now() - sent);
        messages.push({ role: "assistant", content: choices[0]?.message.content ?? "" });
        messages.push({
          role: "user",
          content: `And then? ${"Tell me more about it. ".repeat(6)}`,
        });
      }),
    );
    live.show(servedTable(servers));
  }
  live.end();
  console.log(latencyWords(latencies));
  if (servers.some(({ server }) => server.served.length === 0)) console.log(whyIdle);
}

/** Number of concurrent chats per pod. All of them have the same system prompt. */
const crowdPerPod = 6;

/** Shows that chats with one system prompt spread over the pods, although one pod has it cached. */
async function crowd({ client, servers }: LiveTraffic): Promise<void> {
  const asked = servers.filter(
    ({ pod }) => pod.metadata?.labels?.[label.componentType] !== "prefiller",
  );
  if (asked.length < 2) return;
  const before = asked.map(({ server }) => server.served.length);
  await Promise.all(
    Array.from({ length: crowdPerPod * asked.length }, (_, at) =>
      client.chat.completions.create({
        model: "demo",
        messages: [
          { role: "system", content: instructions("everything") },
          { role: "user", content: `Student ${at}: what is the first lesson?` },
        ],
        max_tokens: 12,
      }),
    ),
  );
  console.log(
    spreadWords(asked.map(({ server }, at) => server.served.length - (before[at] as number))),
  );
}

/** Describes how requests with one system prompt spread over the pods. */
export function spreadWords(requests: readonly number[]): string {
  const sum = requests.reduce((total, each) => total + each, 0);
  const most = Math.max(...requests);
  const ratio = ((most * requests.length) / sum).toFixed(2);
  return `  ${sum} chats with one system prompt: at most ${most} a pod, ${ratio} times the mean`;
}

/** Describes the mean and the 95th percentile. */
export function latencyWords(milliseconds: readonly number[]): string {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const mean = sorted.reduce((sum, each) => sum + each, 0) / sorted.length;
  const p95 = sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN;
  return `  ${sorted.length} requests answered, mean ${Math.round(mean)} ms, p95 ${Math.round(p95)} ms (simulated engines)`;
}

const whyIdle = `  Some pods got no requests: the picker prefers a pod that has cached the beginning of
  a prompt, and the ${conversations} conversations have ${courses.length} beginnings.`;

/** Requests of each pod, and how many of their prompt tokens were cached. */
function servedTable(servers: LiveTraffic["servers"]): string[][] {
  const rows = servers
    .map(({ pod, server: { name, served } }) => {
      const role = pod.metadata?.labels?.[label.componentType] ?? "";
      const sum = (of: (request: (typeof served)[number]) => number) =>
        served.reduce((total, request) => total + of(request), 0);
      const prompt = sum(({ promptTokens }) => promptTokens);
      const cached = sum(({ cachedTokens }) => cachedTokens);
      const rate = prompt === 0 ? "" : `${Math.round((100 * cached) / prompt)} %`;
      const elsewhere = served.filter(({ prefiller }) => prefiller !== undefined).length;
      return [name, role, ...[served.length, elsewhere, prompt, cached].map(String), rate];
    })
    .sort(([a = ""], [b = ""]) => a.localeCompare(b, "en", { numeric: true }));
  return [
    ["POD", "ROLE", "REQUESTS", "PREFILLED ELSEWHERE", "PROMPT TOKENS", "CACHED", "HITS"],
    ...rows,
  ];
}
