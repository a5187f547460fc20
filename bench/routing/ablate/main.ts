import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { row } from "../table.ts";
import { terms as allTerms } from "./ablations.ts";
import type { Play, Played, Plays } from "./play.ts";

/**
 * `npm run bench routing/ablate`: what each rule of load prediction is worth. Each is removed alone, then all together one after
 * another, the least useful first; one whose removal harms a trace is put back. The noise comes first: the same build with
 * other draws of the routers. Random traces have numbers that no constant was chosen by. About two hours on two cores.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    seconds: { type: "string", default: "30" },
    randoms: { type: "string", default: "20" },
    "first-random": { type: "string", default: "3001" },
    /** Rules to remove: terms, or `CONSTANT=VALUE`; several with commas are removed together. Default: each of the terms. */
    term: { type: "string", multiple: true },
    /** Removes each rule alone, and no two together. */
    alone: { type: "boolean", default: false },
    /** Names of traces. Default: all. */
    trace: { type: "string", multiple: true },
    router: {
      type: "string",
      multiple: true,
      default: ["planned", "planned, 3 replicas", "planned, with queues"],
    },
    /** Public traces, as files or folders, with the conditions of their play: `FILE?pods=8&from=600&speed=4.6`. */
    traffic: { type: "string", multiple: true, default: [] },
    /** Plays at once. Default: the number of cores. */
    cores: { type: "string", default: `${availableParallelism()}` },
  },
});

/** A rule may go if its removal harms no figure of a named trace by more beyond the noise, and no p95 of a random trace by more at all. */
const bars = { named: 1.03, random: 1.2 };

/** Draws of the routers by which the noise is measured. */
const shifts = [500, 1_000, 1_500];

const plan = (shift: number): Play => ({
  seeds: Number(values.seeds),
  seconds: Number(values.seconds),
  traces: values.trace,
  traffic: values.traffic,
  contenders: values.router,
  randoms: Number(values.randoms),
  firstRandom: Number(values["first-random"]),
  shift,
});

async function played(removed: readonly string[], shift = 0): Promise<Plays> {
  const of = (name: string) => join(import.meta.dirname, name);
  const flags = ["--conditions=source", "--import", of("patched.ts"), of("play.ts")];
  const env = { ...process.env, ABLATE: removed.join(",") };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...flags, JSON.stringify(plan(shift))], { env });
  process.stderr.write(".");
  return JSON.parse(stdout) as Plays;
}

/** Calls `act` with each item, on as many cores as are given, and returns the results in the order of the list. */
async function each<From, To>(
  list: readonly From[],
  act: (item: From) => Promise<To>,
): Promise<To[]> {
  const results: To[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < list.length; at = next++) results[at] = await act(list[at] as From);
  };
  await Promise.all(Array.from({ length: Number(values.cores) }, work));
  return results;
}

const base = await played([]);
const others = await each(shifts, (shift) => played([], shift));

type Figure = keyof Played;

/** By how much a figure differs from the base's without any change: 1 is not at all. */
const noiseOf = (trace: string, figure: Figure): number =>
  Math.max(1, ...others.map((other) => worsening(other, trace, figure)));

/**
 * A figure as a multiple of the figure of the base, or its inverse if more is better. 0.1 keeps shares of nothing
 * apart.
 */
function worsening(plays: Plays, trace: string, figure: Figure): number {
  const [now, before] = [plays[trace]?.[figure] ?? 0, base[trace]?.[figure] ?? 0].map(
    (value) => value + 0.1,
  ) as [number, number];
  return figure === "p95" || figure === "mean" ? now / before : before / now;
}

interface Effect {
  /**
   * The trace and figure that are farthest above their bar, or nearest to it, and the figure as a multiple of the
   * figure of the base.
   */
  readonly trace: string;
  readonly times: number;
  /** The multiple to the bar: the rule is needed above 1. */
  readonly harm: number;
  /** Geometric mean of the multiples of the p95. */
  readonly mean: number;
}

function effectOf(plays: Plays): Effect {
  const all = Object.keys(base).flatMap((trace) => {
    const isRandom = trace.startsWith("random");
    const figures: readonly Figure[] = isRandom ? ["p95"] : ["p95", "mean", "goodput", "turns"];
    return figures.map((figure) => {
      const times = worsening(plays, trace, figure);
      const bar = isRandom ? bars.random : bars.named - 1 + noiseOf(trace, figure);
      return { trace: `${trace}: ${figure}`, figure, times, harm: times / bar };
    });
  });
  const worst = all.reduce((one, other) => (other.harm > one.harm ? other : one));
  const p95s = all.filter(({ figure }) => figure === "p95");
  const mean = Math.exp(p95s.reduce((sum, { times }) => sum + Math.log(times), 0) / p95s.length);
  return { ...worst, mean };
}

const cells = (term: string, { trace, times, harm, mean }: Effect) =>
  row([
    ...[term, mean.toFixed(3), trace, times.toFixed(2), harm.toFixed(2)],
    harm > 1 ? "needed" : "may go",
  ]);
const head = () =>
  [
    row(["without", "mean p95", "worst figure", "times as bad", "times its bar", ""]),
    row(["", "", "", "", "", ""].map(() => "---")),
  ].join("\n");

const terms = values.term ?? allTerms;
const alone = await each(terms, async (term) => ({ term, effect: effectOf(await played([term])) }));
alone.sort((one, other) => one.effect.harm - other.effect.harm);
process.stderr.write("\n");
console.log(`Each alone, the figures compared with those of the whole\n\n${head()}`);
for (const { term, effect } of alone) console.log(cells(term, effect));

if (!values.alone) {
  console.log(`\nTogether, the least useful first\n\n${head()}`);
  const removed: string[] = [];
  for (const { term, effect } of alone) {
    if (effect.harm > 1) continue;
    const together = effectOf(await played([...removed, term]));
    console.log(cells(term, together));
    if (together.harm <= 1) removed.push(term);
  }
  console.log(`\nMay go together: ${removed.join(", ") || "none"}`);
}
