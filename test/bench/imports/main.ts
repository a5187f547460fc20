/**
 * Requests to a pool of another cluster beside requests to the same pool by its own gateway, in turns on one machine,
 * and the time until another cluster has taken over: `npm run bench:imports -- [--rounds N]`.
 */
import { parseArgs } from "node:util";
import { startPods } from "../epp/cases.ts";
import { cpuSeconds } from "../epp/process-cpu.ts";
import { cleanUp, runDriver } from "../epp/processes.ts";
import { type Failover, failOver, losses } from "./failover.ts";
import { ways } from "./ways.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
const rounds = Number(values.rounds);
const pods = [1, 2, 3, 4].map((at) => `127.0.1.${at}:8000`);

interface Measured {
  readonly p50: number;
  readonly p99: number;
  /** CPU of the picker for the import, microseconds a request. */
  readonly microseconds: number | undefined;
  readonly failures: number;
}

async function measure(way: keyof typeof ways): Promise<Measured> {
  const { port, relay, stop } = await ways[way](pods);
  try {
    let before = 0;
    const args = ["--target", `127.0.0.1:${port}`, "--rate", "200", "--seconds", "5"];
    const report = await runDriver("http-driver", [...args, "--warm-up", "2"], () => {
      before = relay === undefined ? 0 : cpuSeconds(relay);
    });
    return {
      p50: report.latency.p50,
      p99: report.latency.p99,
      microseconds:
        relay === undefined ? undefined : ((cpuSeconds(relay) - before) / report.requests) * 1e6,
      failures: Object.values(report.failures).reduce((sum, count) => sum + count, 0),
    };
  } finally {
    await stop();
  }
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

const names = Object.keys(ways) as Array<keyof typeof ways>;
const results = new Map(names.map((name) => [name, [] as Measured[]]));
const servers = await startPods({ pods });
try {
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) results.get(name)?.push(await measure(name));
} finally {
  await servers.stop();
}
const direct = results.get("direct") ?? [];
console.log("| way | p50 ms | to direct | p99 ms | to direct | µs of CPU a request | failures |");
console.log("|---|---|---|---|---|---|---|");
for (const [name, measured] of results) {
  const middle = (field: "p50" | "p99") => median(measured.map((one) => one[field]));
  // Of each round by itself, since the machine changes between rounds.
  const ratio = (field: "p50" | "p99") =>
    median(measured.map((one, at) => one[field] / (direct[at]?.[field] ?? Number.NaN)));
  const cpu = median(measured.map(({ microseconds = 0 }) => microseconds));
  const failures = measured.reduce((sum, one) => sum + one.failures, 0);
  console.log(
    `| ${name} | ${middle("p50").toFixed(2)} | ${ratio("p50").toFixed(2)} | ${middle("p99").toFixed(2)} | ${ratio("p99").toFixed(2)} | ${cpu.toFixed(0)} | ${failures} |`,
  );
}

console.log("\n| loss | mode | noticed, ms | slowest request, ms | failed |");
console.log("|---|---|---|---|---|");
for (const loss of Object.keys(losses) as Array<keyof typeof losses>)
  for (const mode of ["EndpointMode", "ParentMode"] as const) {
    // The other cluster's gateway still takes connections then.
    if (loss === "hangs" && mode === "ParentMode") continue;
    const runs: Failover[] = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await failOver(loss, mode));
    const worst = (field: "noticed" | "slowest" | "failed") =>
      Math.max(...runs.map((run) => run[field]));
    console.log(
      `| ${loss} | ${mode} | ${worst("noticed")} | ${worst("slowest")} | ${worst("failed")} |`,
    );
  }
await cleanUp();
