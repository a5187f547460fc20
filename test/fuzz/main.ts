import { parseArgs } from "node:util";
import { fuzz } from "./run.ts";
import { targets } from "./targets.ts";

/**
 * `npm run tool test/fuzz -- [--minutes N] [--seed N] [--target TEXT]`: runs all readers of external input in turn until the time
 * is over. Prints the seed first, and the smallest case of a failure. Exits with 1 if a reader failed or memory grew.
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
const counts = new Map<string, { cases: number; slowest: number }>();
const mebibytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);
let failed = false;
let settled: number | undefined;
for (let round = 0; performance.now() < end && !failed; round += 1) {
  for (const target of chosen) {
    const left = end - performance.now();
    if (left <= 0 || failed) break;
    const seed = first + round;
    const { cases, slowest, failure } = await fuzz(target, {
      ...{ seed, time: Math.min(slice, left), most: 20_000, longest: 100 },
    });
    const before = counts.get(target.name) ?? { cases: 0, slowest: 0 };
    counts.set(target.name, {
      cases: before.cases + cases,
      slowest: Math.max(before.slowest, slowest),
    });
    if (failure === undefined) continue;
    failed = true;
    process.stdout.write(`FAILED ${target.name}, --seed ${seed}\n${failure}\n`);
  }
  // The first rounds fill caches and compile.
  if (round === 2) settled = mebibytes();
}
let total = 0;
for (const [name, { cases, slowest }] of counts) {
  total += cases;
  const work = `${slowest.toFixed(0)} ms`.padStart(7);
  process.stdout.write(`${String(cases).padStart(10)} ${work}  ${name}\n`);
}
process.stdout.write(
  `${String(total).padStart(10)} cases; the work of the slowest of each beside\n`,
);
const grown = settled === undefined ? 0 : mebibytes() - settled;
process.stdout.write(`memory: ${mebibytes()} MiB, ${grown} MiB more than after the third round\n`);
process.exit(failed || grown > 256 ? 1 : 0);
