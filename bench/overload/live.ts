import { Agent, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { waitingOf } from "../../sdk/plan/picker/flow-control.ts";
import { objectiveOf, startTraffic, type TrafficStack } from "../../test/traffic/stack.ts";
import type { FlowArrival } from "../routing/queueing-picker.ts";
import { arrivalsOf, type FlowLoad } from "./load.ts";
import { fairness, farthestShare, loadsOf, quantile } from "./shares.ts";

/**
 * `npm run bench overload/live`: twice the load that a pool can bear, in real time, through Envoy and the shipped
 * picker with the planned default of an LLMServerPool. Prints the figures of `bench overload` that can be measured from
 * outside.
 */
const { values } = parseArgs({
  options: {
    /** Seconds that count. */
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    engines: { type: "string", default: "8" },
    /** Sequences that an engine runs at a time. */
    sequences: { type: "string", default: "16" },
    /** Milliseconds of a step without sequences. */
    step: { type: "string", default: "20" },
  },
});
const seed = Number(values.seed);
const counted = 1_000 * Number(values.seconds);
/** Milliseconds in which slots are learnt and queues fill. */
const warmUp = 5_000;

const slots = Number(values.sequences);
const engine = { maxSequences: slots, stepMs: Number(values.step), stepMsPerSequence: 0.5 };
const pods = Number(values.engines);
const sizes = { prompt: [100, 400], answer: [20, 60] } as const;

interface Seen {
  readonly arrival: FlowArrival;
  /** Milliseconds from its arrival to its first token; undefined if it was refused. */
  firstToken: number | undefined;
}

interface Run {
  readonly seen: readonly Seen[];
  /** Tokens that came to clients, a prompt with its first one. */
  readonly tokens: ReadonlyArray<{ at: number; flow: string; count: number }>;
  /** Requests beyond the places of an engine, every ten milliseconds. */
  readonly waiting: ReadonlyArray<{ at: number; requests: number }>;
}

const config = endpointPickerConfig("prefix-cache", waitingOf({ fairness }, "generic"));
const agent = new Agent({ keepAlive: true });

/** Sends requests as they come, whatever became of those before. */
async function send(stack: TrafficStack, arrivals: readonly FlowArrival[]): Promise<Run> {
  const url = new URL(`${stack.envoy.url}/v1/completions`);
  const start = performance.now();
  const seen: Seen[] = [];
  const tokens: Array<Run["tokens"][number]> = [];
  const waiting: Array<Run["waiting"][number]> = [];
  const ask = (arrival: FlowArrival) =>
    new Promise<void>((resolve) => {
      const { prompt, outputTokens, flow } = arrival;
      const mine: Seen = { arrival, firstToken: undefined };
      seen.push(mine);
      const headers = {
        "content-type": "application/json",
        "x-llm-d-inference-fairness-id": flow.id,
        ...(flow.priority > 0 && { "x-llm-d-inference-objective": "critical" }),
      };
      const body = { model: "base", prompt, max_tokens: outputTokens, stream: true };
      const asked = httpRequest(url, { method: "POST", headers, agent }, (response) => {
        response.setEncoding("utf8").on("data", (text: string) => {
          if (response.statusCode !== 200) return;
          const at = performance.now() - start;
          const events = text.split("data: {").length - 1;
          if (events === 0) return;
          tokens.push({ at, flow: flow.id, count: events });
          if (mine.firstToken !== undefined) return;
          mine.firstToken = at - arrival.at;
          tokens.push({ at, flow: flow.id, count: prompt.length / 4 });
        });
        response.on("close", resolve);
      });
      asked.on("error", () => resolve()).end(JSON.stringify(body));
    });
  const looking = setInterval(() => {
    const at = performance.now() - start;
    for (const { running } of stack.servers)
      waiting.push({ at, requests: Math.max(0, running - slots) });
  }, 10);
  const asked = [];
  for (const arrival of arrivals) {
    const pause = start + arrival.at - performance.now();
    if (pause > 0) await sleep(pause);
    asked.push(ask(arrival));
  }
  clearInterval(looking);
  await Promise.all(asked);
  return { seen, tokens, waiting };
}

/** The requests of a pool of its own. */
async function run(loads: readonly FlowLoad[], until: number): Promise<Run> {
  const stack = await startTraffic({
    servers: Array.from({ length: pods }, () => engine),
    objects: [objectiveOf("critical", 1)],
    pickerArgs: [
      `--config-text=${JSON.stringify(config)}`,
      "--tenant-header=x-llm-d-inference-fairness-id",
      "--tenants-per-address=0",
    ],
  });
  try {
    return await send(stack, arrivalsOf(loads, sizes, until, seed));
  } finally {
    await stack.stop();
  }
}

const firstTokens = ({ seen }: Run) =>
  seen.flatMap(({ arrival, firstToken }) =>
    arrival.flow.id === "critical" && arrival.at >= warmUp ? (firstToken ?? []) : [],
  );

/** Requests a second at most: what a step takes with a full batch, and how many end in it. */
const stepMs =
  engine.stepMs +
  slots * engine.stepMsPerSequence +
  ((slots / sizes.answer[0]) * sizes.prompt[0]) / 8;
const capacity = ((pods * slots) / (sizes.answer[0] * stepMs)) * 1_000;
const critical: FlowLoad = { id: "critical", priority: 1, perSecond: 0.1 * capacity };
const others = loadsOf(1.9 * capacity);

const alone = firstTokens(await run([critical], warmUp + Math.min(counted, 20_000)));
const loaded = await run([critical, ...others], warmUp + counted);
const first = firstTokens(loaded);
const [unloadedP95, loadedP95] = [quantile(alone, 0.95), quantile(first, 0.95)];
const refused = loaded.seen.filter(({ firstToken }) => firstToken === undefined).length;
console.log(
  `${pods} engines of ${slots} sequences, ${capacity.toFixed(0)} requests/s at most; twice as many came`,
);
console.log(
  `first token of critical requests, p95: ${loadedP95.toFixed(0)} ms, ${unloadedP95.toFixed(0)} ms alone`,
);
console.log(
  `${loaded.seen.length} requests, ${refused} refused, of the critical ones ${
    loaded.seen.filter(
      ({ arrival, firstToken }) => arrival.flow.priority > 0 && firstToken === undefined,
    ).length
  }`,
);
console.log("\n| | bar | |\n|---|---|---|");
const rows = [
  [
    "requests that wait at an engine, p99 over engines and time",
    1,
    quantile(
      loaded.waiting.filter(({ at }) => at >= warmUp).map(({ requests }) => requests),
      0.99,
    ),
  ],
  ["first token of critical requests, p95, to the same alone", 1.2, loadedP95 / unloadedP95],
  [
    "served tokens of ten flows of weights 1 to 8, farthest from their shares in any 10 s, %",
    10,
    farthestShare(loaded.tokens, warmUp, warmUp + counted),
  ],
] as const;
for (const [title, most, figure] of rows)
  console.log(`| ${title} | <= ${most} | ${figure.toFixed(2)} |`);
agent.destroy();
