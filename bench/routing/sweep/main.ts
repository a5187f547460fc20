import { parseArgs } from "node:util";
import { type Contender, contenders } from "../contenders.ts";
import { type Figures, figuresOf, medianFigures } from "../figures.ts";
import { milliseconds, row } from "../table.ts";
import type { Trace } from "../trace.ts";
import { randomTrace } from "./random-traces.ts";
import { bases, variantOf, variants } from "./variants.ts";

/**
 * `npm run bench routing/sweep`: traces on which no constant was tuned: variants of the traces or, with `--random 50`,
 * 50 random traces, from number `--from` on. Each row compares the p95 of the first token by the planned picker with
 * other routers'; the worst row is last.
 */
const { values } = parseArgs({
  options: {
    base: { type: "string", multiple: true, default: [...bases] },
    variant: { type: "string", multiple: true, default: Object.keys(variants) },
    random: { type: "string" },
    from: { type: "string", default: "1" },
    router: { type: "string", default: "planned" },
    beside: {
      type: "string",
      multiple: true,
      default: ["least outstanding", "cost oracle", "upstream's default", "upstream's best"],
    },
    seeds: { type: "string", default: "101,102,103" },
  },
});

const names = [values.router, ...values.beside];

interface Row {
  readonly title: string;
  readonly of: ReadonlyArray<Figures | undefined>;
  /** The p95 of the router in question to the best of the others. */
  readonly ratio: number;
}

function contenderOf(name: string): Contender {
  const contender = contenders[name];
  if (contender === undefined)
    throw new Error(`no router ${name}; there are: ${Object.keys(contenders).join(", ")}`);
  return contender;
}

/** @param seeded a trace with each of its seeds */
function rowOf(seeded: ReadonlyArray<readonly [Trace, number]>): Row {
  const of = names.map((name) => {
    const figures = seeded.flatMap(([trace, seed]) => {
      const run = contenderOf(name)(trace, seed);
      return run === undefined ? [] : figuresOf(trace, run);
    });
    return figures.length === 0 ? undefined : medianFigures(figures);
  });
  const [own = Number.NaN, ...others] = of.map((figures) => figures?.p95);
  const best = Math.min(...others.filter((p95) => p95 !== undefined));
  return { title: seeded[0]?.[0].name ?? "", of, ratio: own / best };
}

const cells = ({ title, of, ratio }: Row) => [
  title,
  ...of.map((figures) =>
    figures === undefined ? "-" : `${milliseconds(figures.p95)} / ${figures.goodput.toFixed(0)} %`,
  ),
  ratio.toFixed(2),
];

function* traces(): Generator<ReadonlyArray<readonly [Trace, number]>> {
  if (values.random !== undefined) {
    const from = Number(values.from);
    for (let number = from; number < from + Number(values.random); number += 1)
      yield [[randomTrace(number), number]];
    return;
  }
  const seeds = values.seeds.split(",").map(Number);
  for (const base of values.base)
    for (const variant of values.variant)
      yield seeds.map((seed) => [variantOf(base, variant, seed), seed] as const);
}

const rows: Row[] = [];
for (const seeded of traces()) {
  rows.push(rowOf(seeded));
  process.stderr.write(".");
}
process.stderr.write("\n");
console.log("p95 of the first token, ms / answered in good time\n");
console.log(row(["trace", ...names, "to the best of the others"]));
console.log(row(["", ...names, ""].map(() => "---")));
for (const each of rows.sort((a, b) => a.ratio - b.ratio)) console.log(row(cells(each)));
