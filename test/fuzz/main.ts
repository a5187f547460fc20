import { parseArgs } from "node:util";
import { fuzz } from "./run.ts";
import { targets } from "./targets.ts";

/**
 * `npm run fuzz -- [--minutes N] [--seed N] [--target TEXT]`: all readers of what others send, in turn, until the time is
 * over. Prints the seed first, and the smallest case of a failure. Ends with 1 where something failed or memory grew.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    target: { type: "string", default: "" },
  },
});
const first = Number(values.seed);
const end = performance.now() + Number(values.minutes) * 60_000;
const chosen = targets.filter(({ name }) => name.includes(values.target));
if (chosen.length === 0 || !Number.isInteger(first) || !(Number(values.minutes) > 0)) {
  process.stderr.write(
    `--minutes, --seed: numbers; --target: one of\n${targets.map(({ name }) => `  ${name}\n`).join("")}`,
  );
  process.exit(2);
}

process.stdout.write(`seed ${first}\n`);
/** Milliseconds of one target in one round: every target has several. */
const slice = Math.min(5_000, (Number(values.minutes) * 60_000) / (4 * chosen.length));
const counts = new Map<string, number>();
const mebibytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);
let failed = false;
let settled: number | undefined;
for (let round = 0; performance.now() < end && !failed; round += 1) {
  for (const target of chosen) {
    const left = end - performance.now();
    if (left <= 0 || failed) break;
    const seed = first + round;
    const { cases, failure } = fuzz(target, {
      ...{ seed, time: Math.min(slice, left), most: 20_000, longest: 100 },
    });
    counts.set(target.name, (counts.get(target.name) ?? 0) + cases);
    if (failure === undefined) continue;
    failed = true;
    process.stdout.write(`FAILED ${target.name}, --seed ${seed}\n${failure}\n`);
  }
  // The first rounds fill caches and compile.
  if (round === 2) settled = mebibytes();
}
for (const [name, cases] of counts)
  process.stdout.write(`${String(cases).padStart(10)}  ${name}\n`);
const grown = settled === undefined ? 0 : mebibytes() - settled;
process.stdout.write(`memory: ${mebibytes()} MiB, ${grown} MiB more than after the third round\n`);
process.exit(failed || grown > 256 ? 1 : 0);
