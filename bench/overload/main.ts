import { parseArgs } from "node:util";
import { msBetweenTokens } from "../routing/figures.ts";
import { type Overload, type OverloadRun, overload } from "../routing/flow-pool.ts";
import type { FlowArrival } from "../routing/queueing-picker.ts";
import { arrivalsOf, type FlowLoad } from "./load.ts";
import { fairness, farthestShare, loadsOf, quantile, sum } from "./shares.ts";

/**
 * `npm run bench overload`: a minute of twice the load that a pool can bear, in virtual time, behind the planned picker of an
 * LLMServerPool as it is by default.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "3" },
    /** Seconds that count. */
    seconds: { type: "string", default: "60" },
    engines: { type: "string", default: "12" },
    /** Sequences that an engine runs at a time. */
    sequences: { type: "string", default: "64" },
    /** Milliseconds of a step without sequences. */
    step: { type: "string", default: "10" },
    /** Tokens of a prompt on average, and at most. */
    prompt: { type: "string", default: "200,1500" },
    /** The same of an answer. */
    answer: { type: "string", default: "100,400" },
  },
});

const pods = Number(values.engines);
const maxSequences = Number(values.sequences);
const engine = {
  ...{ maxSequences, stepMs: Number(values.step), stepMsPerSequence: 0.1 },
  ...{ prefillTokensPerSecond: 20_000, cacheBlocks: 256 * maxSequences },
};
const meanAndMost = (text: string) => text.split(",").map(Number) as [number, number];
const sizes = { prompt: meanAndMost(values.prompt), answer: meanAndMost(values.answer) };
/** Duration of the answers relative to answers of the default sizes, which take a second or two. */
const longer = Math.max(1, sizes.answer[0] / 100);
/** Milliseconds in which slots are learnt and queues fill. */
const warmUp = 15_000 * longer;
const until = warmUp + 1_000 * Number(values.seconds);

/** Requests per second that the pool answers when all its slots are used, measured in a run with too many requests. */
function capacity(): number {
  const [from, until] = [4_000 * longer, 12_000 * longer];
  const arrivals = arrivalsOf(
    [{ id: "all", priority: 0, perSecond: 4_000 / longer }],
    sizes,
    until,
    1,
  );
  const run = overload({ pods, engine, arrivals, until, seed: 1 });
  const ended = run.answers.filter(({ outcome }) => outcome.endAt > from && outcome.endAt < until);
  return (1_000 * ended.length) / (until - from);
}

const critical: FlowLoad = { id: "critical", priority: 1, perSecond: 0 };

const counts = ({ at }: FlowArrival) => at >= warmUp && at < until - 2_000;

const firstTokens = (run: OverloadRun, flow: string) =>
  run.answers
    .filter(
      ({ arrival, outcome }) => arrival.flow.id === flow && counts(arrival) && outcome.firstAt > 0,
    )
    .map(({ arrival, outcome }) => outcome.firstAt - arrival.at);

/** Milliseconds that critical requests waited in the picker, p95. */
const queued = (run: OverloadRun) =>
  quantile(
    run.answers
      .filter(({ arrival }) => arrival.flow.id === "critical" && counts(arrival))
      .map(({ arrival, sentAt = until }) => sentAt - arrival.at),
    0.95,
  );

/** Milliseconds between the tokens of an answer, p95 of those that ended. */
const betweenTokens = (run: OverloadRun) =>
  quantile(
    run.answers
      .filter(({ outcome }) => outcome.endAt >= warmUp && outcome.tokens > 1)
      .map(({ outcome }) => msBetweenTokens(outcome)),
    0.95,
  );

/** Tokens per second that engines processed for all flows. */
const tokensPerSecond = (run: OverloadRun) =>
  sum(run.tokens.filter(({ at }) => at >= warmUp).map(({ count }) => count)) /
  Number(values.seconds);

/** Largest number of requests of the heavy flow, per slot, that were sent while one of the light flow waited. */
function passedBy(run: OverloadRun): number {
  const sent = run.answers
    .filter(({ arrival, sentAt }) => arrival.flow.id === "heavy" && sentAt !== undefined)
    .map(({ sentAt }) => sentAt as number);
  const light = run.answers.filter(({ arrival }) => arrival.flow.id === "light" && counts(arrival));
  const passed = light.map(
    ({ arrival, sentAt = until }) => sent.filter((at) => at > arrival.at && at < sentAt).length,
  );
  return Math.max(...passed) / (pods * engine.maxSequences);
}

interface Bar {
  readonly title: string;
  readonly most: number;
  readonly figures: number[];
}
const bars = {
  waiting: {
    title: "requests that wait at an engine, p99 over engines and time",
    most: 1,
    figures: [] as number[],
  },
  told: {
    title: "requests that engines say wait, p99",
    most: Number.POSITIVE_INFINITY,
    figures: [] as number[],
  },
  critical: {
    title: "first token of critical requests, p95, to the same beside nine tenths of the load",
    most: 1.2,
    figures: [] as number[],
  },
  alone: {
    title: "the same, to the same alone in the pool",
    most: 1.2,
    figures: [] as number[],
  },
  oracle: {
    title: "the same, to an oracle that chooses among the engines with a free slot",
    most: 1.2,
    figures: [] as number[],
  },
  shares: {
    title:
      "served tokens of ten flows of weights 1 to 8, farthest from their shares in any 10 s, %",
    most: 10,
    figures: [] as number[],
  },
  between: {
    title:
      "time between tokens at an objective of three quarters of that without, p95 of all answers, to it",
    most: 1,
    figures: [] as number[],
  },
  throughput: {
    title: "tokens worked off with this objective, to those without",
    most: Number.POSITIVE_INFINITY,
    figures: [] as number[],
  },
  light: {
    title: "heavy requests that go while a light one waits, most a slot",
    most: 1,
    figures: [] as number[],
  },
} satisfies Record<string, Bar>;

const perSecond = capacity();
console.log(`${pods} engines, ${perSecond.toFixed(0)} requests/s at most; twice as many come`);
for (let seed = 1; seed <= Number(values.seeds); seed += 1) {
  const some = { ...critical, perSecond: 0.1 * perSecond };
  const others = (load: number) => loadsOf(load * perSecond);
  const of = (
    loads: readonly FlowLoad[],
    change: Pick<Overload, "oracleFor" | "timeBetweenTokensMs"> = {},
  ) =>
    overload({
      pods,
      engine,
      fairness,
      arrivals: arrivalsOf(loads, sizes, until, seed),
      until,
      seed,
      ...change,
    });
  const ten = of([some, ...others(1.9)]);
  // Engines work in batches: a token takes longer in a full batch than alone, even without a queue.
  const nearlyFull = of([some, ...others(0.8)]);
  const chosen = of([some, ...others(1.9)], { oracleFor: "critical" });
  const [loaded, unloaded, alone, oracle] = [ten, nearlyFull, of([some]), chosen].map((run) =>
    quantile(firstTokens(run, "critical"), 0.95),
  ) as [number, number, number, number];
  bars.waiting.figures.push(
    quantile(
      ten.waiting.filter(({ at }) => at >= warmUp).map(({ requests }) => requests),
      0.99,
    ),
  );
  bars.told.figures.push(
    quantile(
      ten.waiting.filter(({ at }) => at >= warmUp).map(({ notified }) => notified),
      0.99,
    ),
  );
  bars.critical.figures.push(loaded / unloaded);
  bars.alone.figures.push(loaded / alone);
  bars.oracle.figures.push(loaded / oracle);
  bars.shares.figures.push(farthestShare(ten.tokens, warmUp, until));
  const usual = betweenTokens(ten);
  const timeBetweenTokensMs = Math.round(0.75 * usual);
  const paced = of([some, ...others(1.9)], { timeBetweenTokensMs });
  bars.between.figures.push(betweenTokens(paced) / timeBetweenTokensMs);
  bars.throughput.figures.push(tokensPerSecond(paced) / tokensPerSecond(ten));
  const two = of([
    { id: "heavy", priority: 0, perSecond: 1.9 * perSecond },
    { id: "light", priority: 0, perSecond: 0.05 * perSecond },
  ]);
  bars.light.figures.push(passedBy(two));
  const times = [
    `${loaded.toFixed(0)} ms at twice the load`,
    `${unloaded.toFixed(0)} ms at nine tenths`,
    `${alone.toFixed(0)} ms alone, ${oracle.toFixed(0)} ms by the oracle; ${queued(ten).toFixed(0)} ms of it in the picker`,
  ];
  console.log(`seed ${seed}: first token of critical requests, p95: ${times.join(", ")}`);
  console.log(`  ${tokensPerSecond(ten).toFixed(0)} tokens/s, prompts and answers`);
}
console.log("\n| | bar | median | worst | |\n|---|---|---|---|---|");
for (const { title, most, figures } of Object.values(bars)) {
  const [median, worst] = [quantile(figures, 0.5), Math.max(...figures)];
  const met = median <= most ? "" : "missed";
  const bar = Number.isFinite(most) ? `<= ${most}` : "";
  console.log(`| ${title} | ${bar} | ${median.toFixed(2)} | ${worst.toFixed(2)} | ${met} |`);
}
