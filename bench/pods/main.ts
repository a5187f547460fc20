/**
 * Pickers of pools of many pods, in turns on one machine: `npm run bench pods -- [--pods 4,64,500,5000] [--rate N]`.
 *
 * One process serves all pods, each at its own address of 127.0.0.0/8. Each picker is measured idle, then under a steady
 * rate of requests, then under the same rate while its metrics are read again and again. Ours has the planned
 * configuration. The Go picker takes part if EPP_GO names its executable (see bench/epp/main.ts).
 */
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { residentMebibytes } from "../../testing/processes/server-process.ts";
import { startPods } from "../epp/cases.ts";
import { type ContenderName, contenders, type Picker } from "../epp/contenders.ts";
import { cpuSeconds } from "../epp/process-cpu.ts";
import { cleanUp, runDriver } from "../epp/processes.ts";

const { values } = parseArgs({
  options: {
    pods: { type: "string", default: "4,64,500,5000" },
    /** Requests a second. */
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "10" },
    /** Names of contenders, separated by commas. */
    only: { type: "string", default: "go,ours" },
    /** Flags of Node.js for our picker, separated by commas. */
    node: { type: "string" },
  },
});
const seconds = Number(values.seconds);

/** Seconds after the start in which pickers read each server for the first time and V8 compiles what that takes. */
const settleSeconds = 15;

/** Milliseconds from the end of one reading of the metrics to the next. */
const betweenPages = 200;

interface Row {
  readonly pods: number;
  readonly contender: ContenderName;
  readonly idleCores: number;
  readonly loadCores: number;
  readonly p50: number;
  readonly p99: number;
  /** The same while the metrics are read. */
  readonly p99OfReading: number;
  /** Bound in ms below which 99 % of the requests were processed, as the picker's metrics report. */
  readonly ownP99: number | undefined;
  /** How late the event loop ran under load, in ms; undefined if the picker does not measure it. */
  readonly loopP99: number | undefined;
  /** Time until the metrics are read whole, in ms: the median. */
  readonly pageMs: number;
  readonly pageKb: number;
  readonly rssMb: number;
  readonly failures: number;
  /** Mean number of processes that wanted a CPU in the last minute. */
  readonly load: number;
}

const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `127.1.${Math.floor(at / 250)}.${(at % 250) + 1}:8000`);

async function coresOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const [from, before] = [performance.now(), cpuSeconds(pid)];
  await work();
  return (cpuSeconds(pid) - before) / ((performance.now() - from) / 1_000);
}

const load = ({ address }: Picker, onMeasuring = () => {}) =>
  runDriver(
    "load-driver",
    [
      ...["--target", address, "--rate", values.rate],
      ...["--warm-up", "5", "--seconds", values.seconds],
    ],
    onMeasuring,
  );

async function pageOf({ ports }: Picker): Promise<{ text: string; ms: number }> {
  const from = performance.now();
  const response = await fetch(`http://127.0.0.1:${ports.metrics}/metrics`);
  const text = await response.text();
  return { text, ms: performance.now() - from };
}

/** Milliseconds; undefined if the page does not have it. */
function loopP99(page: string): number | undefined {
  const [, lag] = /^nodejs_eventloop_lag_seconds\{quantile="0.99"\} (\S+)$/m.exec(page) ?? [];
  return lag === undefined ? undefined : Number(lag) * 1_000;
}

/** Milliseconds; undefined if the page does not have them. */
function ownP99(page: string): number | undefined {
  const bucket = /^llm_d_epp_request_processing_duration_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm;
  const buckets = [...page.matchAll(bucket)].map(([, le, count]) => [Number(le), Number(count)]);
  const all = buckets.at(-1)?.[1] ?? 0;
  const bound = buckets.find(([, count = 0]) => count >= 0.99 * all)?.[0];
  return bound === undefined ? undefined : bound * 1_000;
}

async function measure(pods: number, contender: ContenderName, picker: Picker): Promise<Row> {
  const { pid } = picker;
  await sleep(settleSeconds * 1_000);
  const idleCores = await coresOf(pid, () => sleep(seconds * 1_000));
  let before = Number.NaN;
  const plain = await load(picker, () => {
    before = cpuSeconds(pid);
    // The lag is measured from one reading to the next.
    void pageOf(picker);
  });
  const loadCores = (cpuSeconds(pid) - before) / plain.seconds;
  const loopMs = loopP99((await pageOf(picker)).text);
  let isOver = false;
  const pages: Array<{ text: string; ms: number }> = [];
  const readPages = async () => {
    while (!isOver) {
      pages.push(await pageOf(picker));
      await sleep(betweenPages);
    }
  };
  let reading: Promise<void> | undefined;
  const read = await load(picker, () => {
    reading = readPages();
  });
  isOver = true;
  await reading;
  const byTime = pages.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    ...{ pods, contender, idleCores, loadCores, loopP99: loopMs },
    ownP99: ownP99(pages.at(-1)?.text ?? ""),
    ...{ p50: plain.latency.p50, p99: plain.latency.p99, p99OfReading: read.latency.p99 },
    pageMs: byTime[Math.floor(byTime.length / 2)] ?? Number.NaN,
    pageKb: (pages.at(-1)?.text.length ?? Number.NaN) / 1_024,
    rssMb: residentMebibytes(pid),
    failures: [plain, read].reduce(
      (sum, { failures }) => sum + Object.values(failures).reduce((a, b) => a + b, 0),
      0,
    ),
    load: loadavg()[0] as number,
  };
}

const columns: ReadonlyArray<
  readonly [title: string, of: (row: Row) => number | undefined, digits: number]
> = [
  ["idle cores", ({ idleCores }) => idleCores, 2],
  ["load cores", ({ loadCores }) => loadCores, 2],
  ["CPU ms/pick", cpuMsOfPick, 2],
  ["pick p50", ({ p50 }) => p50, 2],
  ["pick p99", ({ p99 }) => p99, 2],
  ["p99 read", ({ p99OfReading }) => p99OfReading, 2],
  ["own p99", (row) => row.ownP99, 2],
  ["loop p99", (row) => row.loopP99, 2],
  ["page ms", ({ pageMs }) => pageMs, 0],
  ["page KB", ({ pageKb }) => pageKb, 0],
  ["RSS MB", (row) => row.rssMb, 0],
  ["failures", ({ failures }) => failures, 0],
  ["load avg", (row) => row.load, 1],
];

/** CPU time of a request, in ms, which other processes on the machine barely change. */
function cpuMsOfPick({ loadCores, idleCores }: Row): number {
  return (1_000 * (loadCores - idleCores)) / Number(values.rate);
}

/** Prints one picker per line, and our figures relative to the figures of the Go picker. */
function print(rows: readonly Row[]): void {
  const line = (first: string, cells: readonly string[]) =>
    console.log(first.padEnd(12) + cells.map((cell) => cell.padStart(12)).join(""));
  line("pods", ["picker", ...columns.map(([title]) => title)]);
  for (const row of rows) {
    const cells = columns.map(([, of, digits]) => of(row)?.toFixed(digits) ?? "-");
    line(String(row.pods), [row.contender, ...cells]);
    const go = rows.find(({ pods, contender }) => pods === row.pods && contender === "go");
    if (go === undefined || row === go) continue;
    const ratios = columns.slice(0, -2).map(([, of]) => {
      const ratio = (of(row) ?? Number.NaN) / (of(go) ?? Number.NaN);
      return Number.isFinite(ratio) && ratio > 0 ? `${ratio.toFixed(2)}x` : "";
    });
    line("", ["to Go", ...ratios]);
  }
}

const chosen = [...contenders()].filter(([name]) => values.only.split(",").includes(name));
if (!chosen.some(([name]) => name === "go"))
  console.log(
    "Without the Go picker (EPP_GO is not set, or --only leaves it out) there are no ratios.",
  );
const rows: Row[] = [];
for (const count of values.pods.split(",").map(Number)) {
  const pods = addresses(count);
  const servers = await startPods({ pods });
  try {
    for (const [name, start] of chosen) {
      const node = values.node?.split(",") ?? [];
      const config = name === "ours" ? endpointPickerConfig("prefix-cache") : undefined;
      const picker = await start(pods, { config, node });
      try {
        const row = await measure(count, name, picker);
        rows.push(row);
        console.log(JSON.stringify(row));
      } finally {
        await picker.stop();
      }
    }
  } finally {
    await servers.stop();
  }
}
print(rows);
await cleanUp();
