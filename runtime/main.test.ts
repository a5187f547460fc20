import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimeBundle } from "../testing/processes/runtime-bundle.ts";
import { checkHealth } from "./manager/health/check-health.fixture.ts";
import { healthStatus } from "./manager/health/health-service.ts";

const pool = `
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: pool}
spec:
  selector: {matchLabels: {app: m}}
  targetPorts: [{number: 8000}]
  endpointPickerRef: {name: epp, port: {number: 9002}}
`;

let folder: string;
let program: string;
beforeAll(async () => {
  program = await runtimeBundle();
  folder = await mkdtemp(join(tmpdir(), "runtime-"));
  await writeFile(join(folder, "pool.yaml"), pool);
});
afterAll(() => rm(folder, { recursive: true }));

class Runtime {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  out = "";
  err = "";

  constructor(args: readonly string[], nodeOptions: readonly string[] = []) {
    this.process = spawn(process.execPath, [...nodeOptions, program, ...args]);
    this.process.stdout?.on("data", (bytes) => {
      this.out += bytes;
    });
    this.process.stderr?.on("data", (bytes) => {
      this.err += bytes;
    });
    this.ended = new Promise((resolve) => this.process.once("close", resolve));
  }

  /** Returns the ports in the program's log. */
  async ports(): Promise<{ health: number }> {
    await expect.poll(() => this.err, { timeout: 30_000 }).toContain('"msg":"serving"');
    const line = this.err.split("\n").find((text) => text.includes('"msg":"serving"'));
    return JSON.parse(line ?? "").ports;
  }
}

const picker = (...flags: readonly string[]) =>
  new Runtime([
    ...[`--file-source=${join(folder, "pool.yaml")}`, "--grpc-port=0", "--grpc-health-port=0"],
    ...["--metrics-port=0", ...flags],
  ]);

describe("first argument", () => {
  it.each([
    [["endpoint-picker", "--help"], 0, "Usage: endpoint-picker"],
    [["--help"], 0, "Usage: endpoint-picker"],
    [[], 2, "no program was given; expected one of endpoint-picker"],
    [["gateway"], 2, "gateway: unknown program; expected one of endpoint-picker"],
    [["--pool-nam=x"], 2, "--pool-nam: unknown flag"],
  ])("the runtime exits for %j with %i and prints %s", async (args, code, says) => {
    const runtime = new Runtime(args);
    expect(await runtime.ended).toBe(code);
    expect(runtime.out + runtime.err).toContain(says);
  });
});

it("a Node.js version that is too old is rejected with the required version", async () => {
  const older = join(folder, "older.cjs");
  const versions = '{ value: { ...process.versions, node: "20.20.2" } }';
  await writeFile(older, `Object.defineProperty(process, "versions", ${versions});`);
  const runtime = new Runtime(["multi-cluster-controller"], ["--require", older]);
  expect(await runtime.ended).toBe(2);
  expect(runtime.err).toContain("needs Node.js 22.12 or later; this is 20.20.2");
});

describe("an endpoint picker", () => {
  it("the picker serves while not ready after SIGTERM, and exits immediately after a second one", async () => {
    const runtime = picker("--drain-timeout=1h");
    const ports = await runtime.ports();
    const health = () => checkHealth(ports.health, "readiness");
    await expect.poll(health, { timeout: 30_000 }).toBe(healthStatus.serving);
    runtime.process.kill("SIGTERM");
    await expect.poll(health, { timeout: 30_000 }).toBe(healthStatus.notServing);
    runtime.process.kill("SIGTERM");
    expect(await runtime.ended).toBe(143);
  });

  it("the picker exits with 0 after its drain", async () => {
    const runtime = picker("--drain-timeout=10ms");
    await runtime.ports();
    runtime.process.kill("SIGTERM");
    expect(await runtime.ended).toBe(0);
    // stderr contains only log lines. V8 would also report unknown flags there.
    const lines = runtime.err.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).msg).at(-1)).toBe("stopped");
  });

  it("the picker logs one error if it cannot start", async () => {
    const runtime = picker(`--cert-path=${folder}`);
    expect(await runtime.ended).toBe(1);
    expect(JSON.parse(runtime.err.trim().split("\n").at(-1) ?? "")).toMatchObject({
      level: "error",
      msg: "the endpoint picker failed",
      error: expect.stringContaining("give tls.crt and its tls.key"),
    });
  });
});
