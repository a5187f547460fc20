import { parseArgs } from "node:util";
import { contendersOf } from "./contenders.ts";
import { dayOf } from "./day.ts";
import { engineOf, objectives } from "./engine.ts";
import { figuresOf, tableHead, tableRow } from "./figures.ts";
import { runDay } from "./run.ts";

/**
 * `npm run bench scaling`: a day of requests in virtual time, at full length, while an autoscaler changes the number of
 * replicas by the picker's number or by other metrics.
 */
const { values } = parseArgs({
  options: {
    /** Which: 1,4,7. */
    seeds: { type: "string", default: "1" },
    /** Hours of the day. */
    hours: { type: "string", default: "0,24" },
    /** Three hours with a peak. */
    quick: { type: "boolean", default: false },
    contender: { type: "string", multiple: true },
    /** Time in seconds until a started replica is ready. */
    load: { type: "string", default: "300" },
    /** Sequences that an engine runs at a time. */
    sequences: { type: "string", default: "12" },
    /** Fields of `autoscaling`. Default: the planned ones. */
    utilization: { type: "string" },
    "scale-down": { type: "string" },
  },
});

/** Replicas that a peak with a burst needs. */
const peak = 8;
const engine = engineOf(Number(values.sequences));
const loadSeconds = Number(values.load);
const [from, until] = (values.quick ? "8,11" : values.hours).split(",").map(Number) as [
  number,
  number,
];
const autoscaling = {
  ...(values.utilization !== undefined && { targetUtilization: Number(values.utilization) }),
  ...(values["scale-down"] !== undefined && { scaleDownSeconds: Number(values["scale-down"]) }),
};

console.log(
  [
    `a day from ${from} to ${until} h, not compressed; a started replica is ready after ${loadSeconds} s`,
    `a replica runs ${engine.options.maxSequences} requests, and completes ${engine.requestsPerSecond.toFixed(2)} a second`,
    `in time: first token within ${objectives.firstTokenMs} ms, and ${objectives.perTokenMs} ms per token`,
  ].join("\n"),
);
for (const seed of values.seeds.split(",").map(Number)) {
  const day = dayOf(seed, { from, until }, engine);
  console.log(`\nseed ${seed}: ${day.arrivals.length} requests\n\n${tableHead}`);
  const mean = Math.ceil(day.meanReplicas);
  for (const [name, contender] of Object.entries(
    contendersOf({ peak, mean, engine, autoscaling }),
  )) {
    if (values.contender?.includes(name) === false) continue;
    const run = runDay(contender, { day, engine, seed, max: peak, loadSeconds });
    console.log(tableRow(name, figuresOf(run), peak * (until - from)));
  }
}
