/**
 * Requests to a pool of another cluster beside requests to the same pool by its own gateway, in turns on one machine,
 * and the time until another cluster has taken over: `npm run bench:imports -- [--rounds N]`.
 */
import { parseArgs } from "node:util";
import { startPods } from "../epp/cases.ts";
import { cpuSeconds } from "../epp/process-cpu.ts";
import { cleanUp, runDriver } from "../epp/processes.ts";
import { type Failover, failOver, losses } from "./failover.ts";
import { type Way, ways } from "./ways.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "9" } } });
const rounds = Number(values.rounds);
const pods = [1, 2, 3, 4].map((at) => `127.0.1.${at}:8000`);

interface Measured {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU of the picker that the gateway asks, microseconds a request. */
  readonly cpu: number;
  readonly failures: number;
}

async function measure({ port, pid }: Way): Promise<Measured> {
  let before = Number.NaN;
  const args = ["--target", `127.0.0.1:${port}`, "--in-flight", "4", "--seconds", "2"];
  const report = await runDriver("http-driver", [...args, "--warm-up", "1"], () => {
    before = cpuSeconds(pid);
  });
  return {
    p50: report.latency.p50,
    p99: report.latency.p99,
    cpu: ((cpuSeconds(pid) - before) / report.requests) * 1e6,
    failures: Object.values(report.failures).reduce((sum, count) => sum + count, 0),
  };
}

/** Short turns one after another, so that whatever else the machine does meets all alike. */
async function measureWays(): Promise<Map<string, Measured[]>> {
  const servers = await startPods({ pods });
  const running = new Map<string, Way>();
  const results = new Map<string, Measured[]>();
  try {
    for (const [name, start] of Object.entries(ways)) running.set(name, await start(pods));
    for (let round = 0; round < rounds; round += 1)
      for (const [name, way] of running)
        results.set(name, [...(results.get(name) ?? []), await measure(way)]);
    return results;
  } finally {
    for (const way of running.values()) await way.stop();
    await servers.stop();
  }
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;

const results = await measureWays();
const direct = results.get("direct") ?? [];
console.log("| way | p50 ms | to direct | p99 ms | to direct | µs of CPU a request | failures |");
console.log("|---|---|---|---|---|---|---|");
for (const [name, measured] of results) {
  const middle = (field: keyof Measured) => median(measured.map((one) => one[field]));
  const ratio = (field: "p50" | "p99") =>
    median(measured.map((one, at) => one[field] / (direct[at]?.[field] ?? Number.NaN))).toFixed(2);
  const failures = measured.reduce((sum, one) => sum + one.failures, 0);
  const latencies = (["p50", "p99"] as const).flatMap((field) => [
    middle(field).toFixed(2),
    ratio(field),
  ]);
  console.log(`| ${[name, ...latencies, middle("cpu").toFixed(0), failures].join(" | ")} |`);
}

console.log("\n| loss | mode | noticed, ms | slowest request, ms | failed |");
console.log("|---|---|---|---|---|");
for (const loss of Object.keys(losses) as Array<keyof typeof losses>)
  for (const mode of ["EndpointMode", "ParentMode"] as const) {
    // The other cluster's gateway still takes connections then.
    if (loss === "hangs" && mode === "ParentMode") continue;
    const runs: Failover[] = [];
    for (let run = 0; run < 3; run += 1) runs.push(await failOver(loss, mode));
    const worst = (field: "noticed" | "slowest" | "failed") =>
      Math.max(...runs.map((run) => run[field]));
    console.log(
      `| ${loss} | ${mode} | ${worst("noticed")} | ${worst("slowest")} | ${worst("failed")} |`,
    );
  }
await cleanUp();
