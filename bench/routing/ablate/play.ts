import { contenders } from "../contenders.ts";
import { figuresOf } from "../figures.ts";
import { randomTrace } from "../sweep/random-traces.ts";
import { type Trace, upTo } from "../trace.ts";
import { loopNames, traceNames, traceOf } from "../traces.ts";

/** The traces of one play, and how much of each is played. */
export interface Play {
  readonly seeds: number;
  /** Seconds that count of each trace. */
  readonly seconds: number;
  /** Numbers of the random traces: so many, from the first on. */
  readonly randoms: number;
  readonly firstRandom: number;
  /** Added to the seed of the routers, and not to that of the traces: another such number shows the noise. */
  readonly shift: number;
}

/** The p95 of the first token of each trace, in ms, by its name and contender. */
export type P95s = Readonly<Record<string, number>>;

const named = ["planned", "planned, 3 replicas", "planned, with queues"] as const;

/** A request that is lost, or waits for a minute, counts as a minute. */
const most = 60_000;

/** Started by `main.ts`, behind `patched.ts`: plays the traces and prints their figures as JSON. */
const play = JSON.parse(process.argv[2] ?? "") as Play;
const p95s: Record<string, number> = {};

function p95(contender: string, trace: Trace, seed: number): number | undefined {
  const run = contenders[contender]?.(trace, seed + play.shift);
  return run && Math.min(most, figuresOf(trace, run).p95);
}

for (const contender of named)
  for (const name of [...traceNames, ...loopNames]) {
    const figures = Array.from({ length: play.seeds }, (_, at) => {
      const trace = upTo(play.seconds, traceOf(name, at + 1));
      return p95(contender, trace, at + 1) ?? Number.NaN;
    });
    const mean = figures.reduce((sum, figure) => sum + figure, 0) / play.seeds;
    if (!Number.isNaN(mean)) p95s[`${name}, ${contender}`] = mean;
  }
for (let number = play.firstRandom; number < play.firstRandom + play.randoms; number += 1)
  p95s[`random ${number}`] = p95("planned", randomTrace(number), number) ?? Number.NaN;
console.log(JSON.stringify(p95s));
