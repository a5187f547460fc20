import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Figures, figuresOf, medianFigures } from "./figures.ts";
import { configured, type MakeRouter, routers, runBy } from "./routers.ts";
import type { Run } from "./simulate.ts";
import { tableHead, tableRow } from "./table.ts";
import { type TenantFigures, tenantFigures, tenantTable } from "./tenants.ts";
import { type Trace, upTo } from "./trace.ts";
import { traceNames, traceOf } from "./traces.ts";
import { withQueues } from "./with-queues.ts";

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
    /** Seconds that count of each trace. Default: all of it. */
    seconds: { type: "string", default: "Infinity" },
    json: { type: "string" },
  },
});

/** Runs a trace for a seed; undefined where it cannot serve it. */
type Contender = (trace: Trace, seed: number) => Run | undefined;

const byRouter =
  (make: MakeRouter): Contender =>
  (trace, seed) =>
    runBy(make, trace, seed);

const contenders: Record<string, Contender> = Object.fromEntries(
  [
    ...Object.entries(routers).map(([name, make]) => [name, byRouter(make)] as const),
    ["planned, with queues", withQueues] as const,
    [
      "planned, with queues, 3 replicas",
      (trace: Trace, seed: number) => withQueues(trace, seed, 3),
    ] as const,
    ...(values.config ?? []).map((file) => {
      const text = readFileSync(file, "utf8");
      return [file, byRouter((_, random) => configured(text, random))] as const;
    }),
  ].filter(
    ([name]) => (values.router?.includes(name) ?? true) || values.config?.includes(name) === true,
  ),
);

const seeds = values.seeds.includes(",")
  ? values.seeds.split(",").map(Number)
  : Array.from({ length: Number(values.seeds) }, (_, at) => at + 1);
const all: Record<string, Record<string, Figures>> = {};

for (const name of values.trace ?? traceNames) {
  console.log(tableHead(name));
  const ofTrace: Record<string, Figures> = {};
  const ofTenants: Record<string, readonly TenantFigures[]> = {};
  for (const [contender, runOf] of Object.entries(contenders)) {
    const runs = seeds.flatMap((seed) => {
      const trace = upTo(Number(values.seconds), traceOf(name, seed));
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
