import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Figures, figuresOf, medianFigures } from "./figures.ts";
import { Random } from "./random.ts";
import { configured, type MakeRouter, routers } from "./routers.ts";
import { simulate } from "./simulate.ts";
import { tableHead, tableRow } from "./table.ts";
import { traceNames, traceOf } from "./traces.ts";

/**
 * `npm run bench:routing`: what the scheduler makes of uneven traffic, in virtual time, beside ways to choose that know
 * nothing and ways that know everything. Medians over seeds.
 */
const { values } = parseArgs({
  options: {
    trace: { type: "string", multiple: true },
    router: { type: "string", multiple: true },
    /** Files of EndpointPickerConfigs to stand beside the others. */
    config: { type: "string", multiple: true },
    /** How many, or which: 1,4,7. */
    seeds: { type: "string", default: "3" },
    json: { type: "string" },
  },
});

const contenders: Record<string, MakeRouter> = {
  ...Object.fromEntries(
    Object.entries(routers).filter(([name]) => values.router?.includes(name) ?? true),
  ),
  ...Object.fromEntries(
    (values.config ?? []).map((file) => {
      const text = readFileSync(file, "utf8");
      return [file, (_, random) => configured(text, random)] satisfies [string, MakeRouter];
    }),
  ),
};

const seeds = values.seeds.includes(",")
  ? values.seeds.split(",").map(Number)
  : Array.from({ length: Number(values.seeds) }, (_, at) => at + 1);
const all: Record<string, Record<string, Figures>> = {};

for (const name of values.trace ?? traceNames) {
  console.log(tableHead(name));
  const ofTrace: Record<string, Figures> = {};
  for (const [contender, make] of Object.entries(contenders)) {
    const runs = seeds.flatMap((seed) => {
      const trace = traceOf(name, seed);
      const router = make(trace, new Random(seed + 1_000));
      return router === undefined ? [] : figuresOf(trace, simulate(trace, router));
    });
    if (runs.length === 0) continue;
    const figures = medianFigures(runs);
    ofTrace[contender] = figures;
    console.log(tableRow(contender, figures));
  }
  all[name] = ofTrace;
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(all, null, 2));
