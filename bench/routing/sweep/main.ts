import { parseArgs } from "node:util";
import { type Figures, figuresOf, medianFigures } from "../figures.ts";
import { routers, runBy } from "../routers.ts";
import { row } from "../table.ts";
import { bases, variantOf, variants } from "./variants.ts";

/**
 * `npm run bench:routing:sweep`: variants of the traces on which no constant was chosen. Each row has the p95 of the first token
 * by the planned picker beside others'; the worst comes last.
 */
const { values } = parseArgs({
  options: {
    base: { type: "string", multiple: true, default: [...bases] },
    variant: { type: "string", multiple: true, default: Object.keys(variants) },
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
const seeds = values.seeds.split(",").map(Number);

interface Row {
  readonly title: string;
  readonly of: readonly Figures[];
  /** The p95 of the router in question to the best of the others. */
  readonly ratio: number;
}

function rowOf(base: string, variant: string): Row {
  const of = names.map((name) =>
    medianFigures(
      seeds.map((seed) => {
        const trace = variantOf(base, variant, seed);
        const make = routers[name];
        const run = make && runBy(make, trace, seed);
        if (run === undefined)
          throw new Error(`no router ${name}; there are: ${Object.keys(routers).join(", ")}`);
        return figuresOf(trace, run);
      }),
    ),
  );
  const [own, ...others] = of.map(({ p95 }) => p95) as [number, ...number[]];
  return { title: `${base}, ${variant}`, of, ratio: own / Math.min(...others) };
}

const cells = ({ title, of, ratio }: Row) => [
  title,
  ...of.map(({ p95, goodput }) => `${p95.toFixed(0)} / ${goodput.toFixed(0)} %`),
  ratio.toFixed(2),
];

const rows = values.base.flatMap((base) =>
  values.variant.map((variant) => {
    process.stderr.write(".");
    return rowOf(base, variant);
  }),
);
process.stderr.write("\n");
console.log("p95 of the first token, ms / answered in good time\n");
console.log(row(["trace", ...names, "to the best of the others"]));
console.log(row(["", ...names, ""].map(() => "---")));
for (const each of rows.sort((a, b) => a.ratio - b.ratio)) console.log(row(cells(each)));
