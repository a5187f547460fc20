import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { row } from "../table.ts";
import { terms as allTerms } from "./ablations.ts";
import type { P95s, Play } from "./play.ts";

/**
 * `npm run bench:routing:ablate`: what each rule of load prediction is worth. Each is removed alone, then all together one after
 * another, the least useful first; one whose removal harms a trace is put back. The noise comes first: the same build with
 * other draws of the routers. Random traces have numbers that no constant was chosen by. About two hours on two cores.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    seconds: { type: "string", default: "30" },
    randoms: { type: "string", default: "20" },
    "first-random": { type: "string", default: "3001" },
    /** Rules to remove. Default: all. */
    term: { type: "string", multiple: true },
    /** Removes each rule alone, and no two together. */
    alone: { type: "boolean", default: false },
  },
});

/** A rule may go if its removal raises no p95 of a named trace by more beyond the noise, and of a random trace by more at all. */
const bars = { named: 1.03, random: 1.2 };

/** Draws of the routers by which the noise is measured. */
const shifts = [500, 1_000, 1_500];

const plan = (shift: number): Play => ({
  seeds: Number(values.seeds),
  seconds: Number(values.seconds),
  randoms: Number(values.randoms),
  firstRandom: Number(values["first-random"]),
  shift,
});

async function played(removed: readonly string[], shift = 0): Promise<P95s> {
  const of = (name: string) => join(import.meta.dirname, name);
  const flags = ["--conditions=source", "--import", of("patched.ts"), of("play.ts")];
  const env = { ...process.env, ABLATE: removed.join(",") };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...flags, JSON.stringify(plan(shift))], { env });
  process.stderr.write(".");
  return JSON.parse(stdout) as P95s;
}

/** Calls `act` with each item, on as many cores as there are, and returns the results in the order of the list. */
async function each<From, To>(
  list: readonly From[],
  act: (item: From) => Promise<To>,
): Promise<To[]> {
  const results: To[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < list.length; at = next++) results[at] = await act(list[at] as From);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

const base = await played([]);
const others = await each(shifts, (shift) => played([], shift));
/** By how much a p95 differs from the base's without any change: 1 is not at all. */
const noiseOf = (trace: string): number =>
  Math.max(1, ...others.map((other) => ratio(other, trace)));

function ratio(p95s: P95s, trace: string): number {
  return (p95s[trace] as number) / (base[trace] as number);
}

interface Effect {
  /** The trace that is farthest above its bar, or nearest to it, and its p95 as a multiple of the base's. */
  readonly trace: string;
  readonly times: number;
  /** The multiple to the bar: the rule is needed above 1. */
  readonly harm: number;
  readonly mean: number;
}

function effectOf(p95s: P95s): Effect {
  const all = Object.keys(base).map((trace) => {
    const times = ratio(p95s, trace);
    const bar = trace.startsWith("random") ? bars.random : bars.named - 1 + noiseOf(trace);
    return { trace, times, harm: times / bar };
  });
  const worst = all.reduce((one, other) => (other.harm > one.harm ? other : one));
  const mean = Math.exp(all.reduce((sum, { times }) => sum + Math.log(times), 0) / all.length);
  return { ...worst, mean };
}

const cells = (term: string, { trace, times, harm, mean }: Effect) =>
  row([term, mean.toFixed(3), trace, times.toFixed(2), harm > 1 ? "needed" : "may go"]);
const head = () =>
  [
    row(["without", "mean p95", "worst trace", "its p95", ""]),
    row(["", "", "", "", ""].map(() => "---")),
  ].join("\n");

const terms = values.term ?? allTerms;
const alone = await each(terms, async (term) => ({ term, effect: effectOf(await played([term])) }));
alone.sort((one, other) => one.effect.harm - other.effect.harm);
process.stderr.write("\n");
console.log(`Each alone, p95 of the first token to that of the whole\n\n${head()}`);
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
