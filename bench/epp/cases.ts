import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import { startEnvoy } from "../../testing/envoy/start.ts";
import type { LoadReport } from "../../testing/ext-proc/load-report.ts";
import { type ContenderName, echoPods, objectsOf, type Picker, policyWith } from "./contenders.ts";
import { cpuSeconds, peakMiB } from "./process-cpu.ts";
import { inRepository, runDriver, startAndWait } from "./processes.ts";

/** Measurements of one picker in one run of a case. */
export interface Measurement {
  /** CPU of the picker's process. */
  readonly cores: number;
  /** CPU of the picker's process a request, microseconds. */
  readonly microseconds?: number;
  /** Largest resident memory of the picker's process, MiB. */
  readonly peakMiB?: number;
  readonly requestsPerSecond?: number;
  /** Milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
  readonly failures: number;
}

export interface Case {
  readonly name: string;
  readonly title: string;
  /** Which figure is compared. */
  readonly figure: "microseconds" | "requestsPerSecond" | "cores" | "p99";
  /** The required result; the Go picker's figure is 1 in ratios. */
  readonly bar: string;
  /** Number of rounds by default; the command line overrides it. */
  readonly rounds: number;
  readonly contenders: readonly ContenderName[];
  readonly pods: readonly string[];
  /** How many of the pods never answer a scrape. */
  readonly hanging?: number;
  /** Replaces the policy that all contenders share. */
  readonly config?: object;
  run(picker: Picker, contender: ContenderName): Promise<Measurement>;
}

/** Addresses of pods, each an address of the loopback network. */
const pods = (count: number) => Array.from({ length: count }, (_, at) => `127.0.1.${at + 1}:8000`);

const everyone: ContenderName[] = ["echo", "go", "before", "ours"];
const pickersOnly: ContenderName[] = ["go", "ours"];
/** After so long under load V8 has compiled what a request takes. */
const short = ["--seconds", "3", "--warm-up", "12"];

/** Far more than the requests of half a second: for so long one counts whose response the picker has left. */
const parameters = { maxConcurrency: 10_000 };

/** The policy of all, and flow control with slots that are said. */
const flowControlled = policyWith([{ type: "concurrency-detector", parameters }], {
  featureGates: ["flowControl"],
  flowControl: { saturationDetector: { pluginRef: "concurrency-detector" } },
});

export const cases: readonly Case[] = [
  {
    name: "envoy",
    title: "behind Envoy, 1 KB prompts, 8 in flight",
    figure: "microseconds",
    bar: "<= 0.55x Go",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) => atEnvoy(picker, ["--in-flight", "8", ...short]),
  },
  {
    name: "fresh",
    title: "the same, from the third to the fifth second of a process",
    figure: "microseconds",
    bar: "Go",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) => atEnvoy(picker, ["--in-flight", "8", "--seconds", "3", "--warm-up", "2"]),
  },
  {
    name: "latency",
    title: "behind Envoy, 1 KB prompts, 300 requests/s",
    figure: "p99",
    bar: "p99 <= Go",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) => atEnvoy(picker, ["--rate", "300", "--seconds", "5", "--warm-up", "2"]),
  },
  {
    name: "pick",
    title: "pick only, 1 KB prompts, 32 in flight",
    figure: "microseconds",
    bar: "<= 0.35x Go",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) => direct(picker, ["--in-flight", "32", ...short]),
  },
  {
    name: "planned",
    title: "the same, by the configuration that is planned",
    figure: "microseconds",
    bar: "<= 1.1x pick",
    rounds: 2,
    contenders: ["before", "ours"],
    pods: pods(4),
    config: endpointPickerConfig("prefix-cache"),
    run: (picker) => direct(picker, ["--in-flight", "32", ...short]),
  },
  {
    name: "late",
    title: "as pick, by a client that waits for the picker's settings",
    figure: "microseconds",
    bar: "<= 1.05x pick",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) => direct(picker, ["--in-flight", "32", "--late", ...short]),
  },
  {
    name: "flows",
    title: "as pick, with flow control and room for every request",
    figure: "microseconds",
    bar: "<= 1.15x pick",
    rounds: 2,
    contenders: ["before", "ours"],
    pods: pods(4),
    config: flowControlled,
    run: (picker) => direct(picker, ["--in-flight", "32", ...short]),
  },
  {
    name: "envoy-flows",
    title: "as envoy, with flow control and room for every request",
    figure: "microseconds",
    bar: "<= 1.15x envoy",
    rounds: 2,
    contenders: ["before", "ours"],
    pods: pods(4),
    config: flowControlled,
    run: (picker) => atEnvoy(picker, ["--in-flight", "8", ...short]),
  },
  {
    name: "chunks",
    title: "1 KB prompts and 20 response chunks, 32 in flight",
    figure: "microseconds",
    bar: "<= 0.45x Go",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) => direct(picker, ["--in-flight", "32", "--response-chunks", "20", ...short]),
  },
  {
    name: "long",
    title: "pick only, 220 KB prompts, 8 in flight",
    figure: "microseconds",
    bar: "<= 0.4x Go",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) => direct(picker, ["--in-flight", "8", ...longPrompts, ...short]),
  },
  {
    name: "longest",
    title: "pick only, 800 KB prompts, 8 in flight",
    figure: "microseconds",
    bar: "<= 0.7x Go",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) =>
      direct(picker, ["--in-flight", "8", "--prompt-bytes", "800000", "--prompts", "16", ...short]),
  },
  {
    name: "throughput",
    title: "220 KB prompts, 20 response chunks, 4 pods, 32 in flight",
    figure: "requestsPerSecond",
    bar: ">= 387 requests/s",
    rounds: 2,
    contenders: everyone,
    pods: pods(4),
    run: (picker) =>
      direct(picker, ["--in-flight", "32", "--response-chunks", "20", ...longPrompts, ...short]),
  },
  {
    name: "sse",
    title: "10,000-token answers, one token a chunk, 10 requests/s",
    figure: "cores",
    bar: "<= 0.925 cores",
    rounds: 1,
    contenders: everyone,
    pods: pods(4),
    // An answer takes 10 seconds, so that after the warm-up 100 are under way.
    run: (picker) =>
      direct(picker, [
        ...["--rate", "10", "--response-chunks", "10000", "--chunk-interval", "1"],
        ...["--connections", "4", "--warm-up", "11", "--seconds", "6"],
      ]),
  },
  {
    name: "scrape",
    title: "100 pods scraped every 50 ms, no requests",
    figure: "cores",
    bar: "<= 1.5 cores",
    rounds: 1,
    contenders: pickersOnly,
    pods: pods(100),
    run: (picker) => idle(picker, 8),
  },
  {
    name: "healthy",
    title: "behind Envoy, 20 pods, 300 requests/s",
    figure: "p99",
    bar: "the base of the next",
    rounds: 1,
    contenders: pickersOnly,
    pods: pods(20),
    run: (picker) => atEnvoy(picker, ["--rate", "300", "--seconds", "8", "--warm-up", "3"]),
  },
  {
    name: "hanging",
    title: "the same while scrapes of 2 of the 20 pods hang",
    figure: "p99",
    bar: "<= 1.1x healthy",
    rounds: 1,
    contenders: pickersOnly,
    pods: pods(20),
    hanging: 2,
    run: (picker) => atEnvoy(picker, ["--rate", "300", "--seconds", "8", "--warm-up", "3"]),
  },
];

const longPrompts = ["--prompt-bytes", "220000", "--prompts", "16"];

/** Starts the model servers of a case. */
export const startPods = ({ pods, hanging = 0 }: Pick<Case, "pods" | "hanging">) =>
  startAndWait(
    "model servers",
    [
      process.execPath,
      inRepository("bench/epp/model-servers.ts"),
      ...["--hang", String(hanging), ...pods, ...echoPods],
    ],
    async (server) => server.log().includes("listening"),
  );

async function direct(picker: Picker, args: readonly string[]): Promise<Measurement> {
  return underLoad(picker, (onMeasuring) =>
    runDriver("load-driver", ["--target", picker.address, ...args], onMeasuring),
  );
}

async function atEnvoy(picker: Picker, args: readonly string[]): Promise<Measurement> {
  const [pool] = objectsOf(pods(1));
  const backendRefs = [
    { group: "inference.networking.k8s.io", kind: "InferencePool", name: "pool" },
  ];
  const envoy = await startEnvoy({
    concurrency: availableParallelism(),
    httpRoutes: [{ metadata: { name: "route" }, spec: { rules: [{ backendRefs }] } }],
    pools: [
      {
        pool: pool as Parameters<typeof startEnvoy>[0]["pools"][number]["pool"],
        picker: picker.address,
        tls: false,
      },
    ],
  });
  try {
    return await underLoad(picker, (onMeasuring) =>
      runDriver("http-driver", ["--target", `127.0.0.1:${envoy.port}`, ...args], onMeasuring),
    );
  } finally {
    await envoy.stop();
  }
}

async function underLoad(
  { pid }: Picker,
  load: (onMeasuring: () => void) => Promise<LoadReport>,
): Promise<Measurement> {
  let before = Number.NaN;
  const report = await load(() => {
    before = cpuSeconds(pid);
  });
  const spent = cpuSeconds(pid) - before;
  return {
    cores: spent / report.seconds,
    microseconds: (spent / report.requests) * 1e6,
    requestsPerSecond: report.requestsPerSecond,
    p50: report.latency.p50,
    p99: report.latency.p99,
    peakMiB: peakMiB(pid),
    failures: Object.values(report.failures).reduce((sum, count) => sum + count, 0),
  };
}

async function idle({ pid }: Picker, seconds: number): Promise<Measurement> {
  await sleep(3_000);
  const before = cpuSeconds(pid);
  await sleep(seconds * 1000);
  return { cores: (cpuSeconds(pid) - before) / seconds, failures: 0 };
}
