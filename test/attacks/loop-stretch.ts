/**
 * Loaded into a picker by `--import`: measures the longest time that its event loop worked without a pause. It counts
 * only CPU time of its thread, so other processes on the machine do not affect it. Writes milliseconds into the file
 * that its URL names, `loop-stretch.ts?file=PATH`, and restarts at SIGUSR2, because a start is one long stretch.
 */
import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = new URL(import.meta.url).searchParams.get("file");
const interval = 5;

if (isMainThread && file !== null) {
  let longest = 0;
  let before = process.threadCpuUsage();
  const note = (stretch: number) => {
    longest = stretch;
    writeFileSync(file, stretch.toFixed(0));
  };
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const stretch = (user + system) / 1_000;
    if (stretch > longest) note(stretch);
  }, interval).unref();
  process.on("SIGUSR2", () => note(0));
}
