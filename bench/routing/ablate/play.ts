import { contenders } from "../contenders.ts";
import { type Figures, figuresOf } from "../figures.ts";
import { randomTrace } from "../sweep/random-traces.ts";
import { type Trace, upTo } from "../trace.ts";
import { chosenTraces, loopNames, traceNames } from "../traces.ts";

/** The traces of one play, and how much of each is played. */
export interface Play {
  readonly seeds: number;
  /** Seconds that count of each named trace. */
  readonly seconds: number;
  /** Names of traces; undefined for all, or for none if there are public ones. */
  readonly traces: readonly string[] | undefined;
  /** Public traces, with the conditions of their play. */
  readonly traffic: readonly string[];
  readonly contenders: readonly string[];
  /** Number of random traces, and the number of the first one. */
  readonly randoms: number;
  readonly firstRandom: number;
  /** Added to the seed of the routers, but not to the seed of the traces: another shift shows the noise. */
  readonly shift: number;
}

/** Figures of a trace. Each is compared with the base by its ratio. */
export interface Played {
  /** Time to the first token, in ms. */
  readonly p95: number;
  readonly mean: number;
  /** Percent of the requests that were answered in good time. */
  readonly goodput: number;
  /** Requests that were answered: in a closed loop, faster answers are more turns. */
  readonly turns: number;
}

/** Figures of each trace, by its name and contender. */
export type Plays = Readonly<Record<string, Played>>;

/** A request that is lost, or waits for a minute, counts as a minute. */
const most = 60_000;

/** Started by `main.ts`, behind `patched.ts`: plays the traces and prints their figures as JSON. */
const play = JSON.parse(process.argv[2] ?? "") as Play;
const plays: Record<string, Played> = {};

function played(contender: string, trace: Trace, seed: number): Played | undefined {
  const run = contenders[contender]?.(trace, seed + play.shift);
  if (run === undefined) return undefined;
  const { p95, mean, goodput, failed }: Figures = figuresOf(trace, run);
  const counted = run.outcomes.filter(({ request }) => request.at >= trace.measureFrom).length;
  const turns = counted - failed;
  return { p95: Math.min(most, p95), mean: Math.min(most, mean), goodput, turns };
}

function meanOf(runs: readonly Played[]): Played {
  const mean = (key: keyof Played) => runs.reduce((sum, run) => sum + run[key], 0) / runs.length;
  return { p95: mean("p95"), mean: mean("mean"), goodput: mean("goodput"), turns: mean("turns") };
}

for (const [name, ofSeed] of chosenTraces(play.traffic, play.traces, [...traceNames, ...loopNames]))
  for (const contender of play.contenders) {
    const runs = Array.from({ length: play.seeds }, (_, at) => {
      const trace = upTo(play.seconds, ofSeed(at + 1));
      return played(contender, trace, at + 1) ?? [];
    }).flat();
    if (runs.length > 0) plays[`${name}, ${contender}`] = meanOf(runs);
  }
for (let number = play.firstRandom; number < play.firstRandom + play.randoms; number += 1) {
  const run = played("planned", randomTrace(number), number);
  if (run !== undefined) plays[`random ${number}`] = run;
}
console.log(JSON.stringify(plays));
