/**
 * What a second replica of the picker adds: `npm run bench:cores -- --rounds 5`. One process with so many requests in flight,
 * then two with as many each, in turns. What a replica picks with a core follows from its CPU per request, so that the ratio
 * says what two cores pick to one, also on a machine that has other work.
 */
import { parseArgs } from "node:util";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { cases, startPods } from "./cases.ts";
import { contenders, type Picker, type StartPicker } from "./contenders.ts";
import { cpuSeconds } from "./process-cpu.ts";
import { cleanUp, runDriver } from "./processes.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    /** Requests in flight at each replica. */
    "in-flight": { type: "string", default: "32" },
    seconds: { type: "string", default: "3" },
  },
});

const planned = cases.find(({ name }) => name === "planned");
if (planned === undefined) throw new Error("no case is named planned");
const startOurs = contenders().get("ours") as StartPicker;
const config = endpointPickerConfig("prefix-cache");

/** Microseconds of CPU per request, its process's scraping of metrics included. */
async function costOf(picker: Picker): Promise<number> {
  let before = Number.NaN;
  const { "in-flight": inFlight, seconds } = values;
  const report = await runDriver(
    "load-driver",
    ["--target", picker.address, "--in-flight", inFlight, "--seconds", seconds, "--warm-up", "2"],
    () => {
      before = cpuSeconds(picker.pid);
    },
  );
  return ((cpuSeconds(picker.pid) - before) / report.requests) * 1e6;
}

const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

const costs = { one: [] as number[], two: [] as number[] };
const pods = await startPods(planned);
try {
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [name, count] of [
      ["one", 1],
      ["two", 2],
    ] as const) {
      const pickers = await Promise.all(
        Array.from({ length: count }, () => startOurs(planned.pods, { config })),
      );
      costs[name].push(mean(await Promise.all(pickers.map(costOf))));
      await Promise.all(pickers.map((picker) => picker.stop()));
    }
  const [one, two] = [median(costs.one), median(costs.two)];
  console.log(`one replica        ${one.toFixed(0)} us of CPU per request`);
  console.log(`each of two        ${two.toFixed(0)} us of CPU per request`);
  console.log(`two cores to one   ${((2 * one) / two).toFixed(2)}x`);
} finally {
  await pods.stop();
  await cleanUp();
}
