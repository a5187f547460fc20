import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { byRouter, type Contender, contenders } from "./contenders.ts";
import { type Figures, figuresOf, medianFigures } from "./figures.ts";
import { configured } from "./routers.ts";
import { tableHead, tableRow } from "./table.ts";
import { type TenantFigures, tenantFigures, tenantTable } from "./tenants.ts";
import { upTo } from "./trace.ts";
import { chosenTraces, loopNames, traceNames } from "./traces.ts";

/**
 * `npm run bench routing`: plays uneven traffic to the scheduler in virtual time, and compares it with routers that
 * know nothing and routers that know everything. Medians over seeds.
 */
const { values } = parseArgs({
  options: {
    trace: { type: "string", multiple: true },
    router: { type: "string", multiple: true },
    /** Files of EndpointPickerConfigs to compare with the others. */
    config: { type: "string", multiple: true },
    /** How many, or which: 1,4,7. */
    seeds: { type: "string", default: "3" },
    /** Seconds that count of each trace. Default: all of it. */
    seconds: { type: "string", default: "Infinity" },
    json: { type: "string" },
    /** Public traces, as files or folders, with the conditions of their play: `FILE?pods=8&from=600&speed=4.6`. */
    traffic: { type: "string", multiple: true, default: [] },
  },
});

const chosen: Record<string, Contender> = Object.fromEntries([
  ...Object.entries(contenders).filter(([name]) => values.router?.includes(name) ?? true),
  ...(values.config ?? []).map((file) => {
    const text = readFileSync(file, "utf8");
    return [file, byRouter((_, random) => configured(text, random))] as const;
  }),
]);

const seeds = values.seeds.includes(",")
  ? values.seeds.split(",").map(Number)
  : Array.from({ length: Number(values.seeds) }, (_, at) => at + 1);
const all: Record<string, Record<string, Figures>> = {};

const everyTrace = [...traceNames, ...loopNames];

for (const [name, ofSeed] of chosenTraces(values.traffic, values.trace, everyTrace)) {
  console.log(tableHead(name));
  const ofTrace: Record<string, Figures> = {};
  const ofTenants: Record<string, readonly TenantFigures[]> = {};
  for (const [contender, runOf] of Object.entries(chosen)) {
    const runs = seeds.flatMap((seed) => {
      const trace = upTo(Number(values.seconds), ofSeed(seed));
      const run = runOf(trace, seed);
      return run === undefined ? [] : { trace, run };
    });
    if (runs.length === 0) continue;
    const figures = medianFigures(runs.map(({ trace, run }) => figuresOf(trace, run)));
    ofTrace[contender] = figures;
    ofTenants[contender] = runs.flatMap(({ trace, run }) => tenantFigures(trace, run) ?? []);
    console.log(tableRow(contender, figures));
  }
  if (Object.values(ofTenants).flat().length > 0) console.log(tenantTable(ofTenants));
  all[name] = ofTrace;
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(all, null, 2));
