import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { programEnvironment } from "../../sdk/plan/programs/program-pods.ts";
import type { LoadReport } from "../../testing/ext-proc/load-report.ts";
import { type PickerProcess, startPicker } from "../../testing/pods/picker-process.ts";
import { residentMebibytes } from "../../testing/processes/server-process.ts";
import { repositoryRoot } from "../../testing/repository.ts";

/** The picker under load that lasts, driven as Envoy drives it. */

const run = promisify(execFile);
const pool = `
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: { name: pool }
spec: { selector: { matchLabels: { app: m } }, targetPorts: [{ number: 8000 }] }
${[1, 2, 3, 4]
  .map(
    (n) => `---
apiVersion: v1
kind: Pod
metadata: { name: pod-${n}, labels: { app: m } }
status: { podIP: 127.0.9.${n} }
`,
  )
  .join("")}`;

let folder: string;
let picker: PickerProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-inference-soak-"));
  writeFileSync(join(folder, "pool.yaml"), pool);
});
afterEach(async () => {
  await picker?.stop();
  picker = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** The heap is as large as the plan makes it. */
const planned = Object.fromEntries(
  programEnvironment({}).map(({ name, value }) => [name, String(value)]),
);

async function start(...args: string[]): Promise<PickerProcess> {
  picker = await startPicker({
    env: planned,
    args: [`--file-source=${join(folder, "pool.yaml")}`, "--secure-serving=false", ...args],
  });
  return picker;
}

async function load({ ports }: PickerProcess, ...args: string[]): Promise<LoadReport> {
  const driver = join(repositoryRoot, "testing", "ext-proc", "load-driver.ts");
  const target = `--target=127.0.0.1:${ports.grpc}`;
  const { stdout } = await run(process.execPath, [driver, target, ...args], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout.trim().split("\n").at(-1) as string) as LoadReport;
}

async function metric({ ports }: PickerProcess, name: string): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text();
  const values = [...page.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

it("100,000 streams, a third of them cancelled, leave nothing behind", async () => {
  const running = await start("--drain-timeout=0s");
  const report = await load(
    running,
    ...["--requests=100000", "--in-flight=64", "--connections=4", "--cancel-share=0.33"],
    ...["--response-chunks=2", "--seconds=600", "--warm-up=0"],
  );
  expect(report.failures).toEqual({});
  expect(report.requests + report.cancelled).toBeGreaterThanOrEqual(100_000);
  expect(report.cancelled).toBeGreaterThan(20_000);
  await expect.poll(() => metric(running, "llm_d_epp_extproc_streams_inflight")).toBe(0);
  expect(await metric(running, "llm_d_epp_inflight_requests")).toBe(0);
}, 600_000);

it("SIGTERM at 200 requests a second fails none of them", async () => {
  const running = await start("--drain-timeout=8s");
  const driven = load(running, "--rate=200", "--seconds=5", "--warm-up=0", "--response-chunks=5");
  await sleep(2_000);
  const stopped = running.stop(30_000);
  const report = await driven;
  expect(report.failures).toEqual({});
  expect(report.requests).toBeGreaterThan(900);
  await stopped;
  expect(running.log()).toContain('"msg":"stopped"');
}, 60_000);

const minutes = Number(process.env.SOAK_MINUTES ?? 10);

it(
  `memory grows by less than 1 MB a minute in ${minutes} minutes of load`,
  async () => {
    const running = await start("--drain-timeout=0s");
    const driven = load(
      running,
      ...["--rate=300", `--seconds=${60 * (minutes + 2)}`, "--warm-up=0"],
      ...["--response-chunks=20", "--prompt-bytes=4096", "--cancel-share=0.05", "--prompts=512"],
    );
    // Warm-up: code is compiled, caches and buffers find their size.
    await sleep(90_000);
    const readings: Array<[minute: number, megabytes: number]> = [];
    const began = performance.now();
    while (performance.now() - began < minutes * 60_000) {
      readings.push([(performance.now() - began) / 60_000, residentMebibytes(running.pid)]);
      await sleep(2_000);
    }
    const report = await driven;
    const slope = slopeOf(readings);
    const [[, first = 0] = [], last] = [readings[0], readings.at(-1)?.[1]];
    console.log(
      `${report.requests} requests; ${first} MB, then ${last} MB; ${slope.toFixed(2)} MB a minute`,
    );
    expect(report.failures).toEqual({});
    expect(slope).toBeLessThanOrEqual(1);
  },
  (minutes + 4) * 60_000,
);

/** Least squares. */
function slopeOf(points: ReadonlyArray<readonly [number, number]>): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
  const covariance = mean(([x, y]) => (x - meanX) * (y - meanY));
  return covariance / mean(([x]) => (x - meanX) ** 2);
}
