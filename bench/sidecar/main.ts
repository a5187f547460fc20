import { type ChildProcess, fork, spawn } from "node:child_process";
import { Agent, request as sendHttp } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/**
 * `npm run bench sidecar`: compares a request through the decode sidecar with one sent directly to the engine, while
 * 500 streams run on the measured way. Engines are stand-ins; client, sidecar and engine are a process each. If
 * PD_SIDECAR_GO names the executable of llm-d's sidecar, it is measured in the same run. First come a process's first
 * thousand requests, whose code is not compiled yet; then the ways take turns, so that a busy machine slows all alike.
 */

const streams = 500;
const requests = 1_000;
const rounds = 5;
/** Requests after which V8 has compiled what they run. */
const warmUp = 6_000;
const body = JSON.stringify({
  model: "m",
  messages: [{ role: "user", content: "x".repeat(1_000) }],
});
const streamed = body.replace("{", '{"stream":true,');
const agent = new Agent({ keepAlive: true });

const started: ChildProcess[] = [];

async function startEngine(): Promise<number> {
  const child = fork(join(import.meta.dirname, "engine.ts"));
  started.push(child);
  return new Promise((resolve) => child.once("message", (port) => resolve(Number(port))));
}

async function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    }),
  );
}

/** Starts a sidecar before the engine: the sidecar of this project, or the given executable. */
async function startSidecar(engine: number, executable?: string): Promise<number> {
  const port = await freePort();
  const main = join(import.meta.dirname, "..", "..", "runtime", "main.ts");
  const args = [
    ...[`--port=${port}`, `--model-server-port=${engine}`],
    ...["--secure-proxy=false", "--enable-ssrf-protection=false"],
  ];
  const own = ["--model-server-host=127.0.0.1", "--metrics-port=0", "--health-port=0"];
  started.push(
    executable
      ? spawn(executable, args, { stdio: "ignore" })
      : fork(main, ["pd-sidecar", ...args, ...own], { stdio: "ignore" }),
  );
  for (;;) {
    await setTimeout(100);
    if ((await send(port, body).catch(() => undefined)) !== undefined) return port;
  }
}

/** Sends a request, and returns the milliseconds until its answer has ended. */
function send(port: number, text: string, headers: Record<string, string> = {}): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      agent,
      method: "POST",
      path: "/v1/chat/completions",
    };
    sendHttp(
      { ...options, headers: { "content-type": "application/json", ...headers } },
      (response) => response.resume().on("end", () => resolve(performance.now() - start)),
    )
      .on("error", reject)
      .end(text);
  });
}

interface Way {
  readonly title: string;
  readonly port: number;
  readonly headers?: Record<string, string>;
}

type Quantiles = readonly number[];

/** Milliseconds of requests one after another, at the quantiles, while streams run. */
async function measure({ port, headers }: Way, background: number): Promise<Quantiles> {
  let running = true;
  const stream = async () => {
    while (running) await send(port, streamed);
  };
  const all = Promise.all(Array.from({ length: background }, stream));
  if (background > 0) await setTimeout(1_500);
  const took: number[] = [];
  for (let at = 0; at < requests; at += 1) took.push(await send(port, body, headers));
  running = false;
  await all;
  took.sort((one, other) => one - other);
  return [0.5, 0.95, 0.99].map((quantile) => took[Math.floor(quantile * requests)] as number);
}

async function warm({ port, headers }: Way): Promise<void> {
  for (let at = 0; at < warmUp; at += 1) await send(port, body, headers);
}

const medians = (all: readonly Quantiles[]): Quantiles =>
  (all[0] as Quantiles).map((_, at) => {
    const values = all.map((quantiles) => quantiles[at] as number).sort((a, b) => a - b);
    return values[Math.floor(values.length / 2)] as number;
  });

const print = (measured: string, { title }: Way, quantiles: Quantiles) =>
  console.log(`| ${[measured, title, ...quantiles.map((ms) => ms.toFixed(2))].join(" | ")} |`);

const engine = await startEngine();
const prefiller = await startEngine();
const headers = { "x-prefiller-host-port": `127.0.0.1:${prefiller}` };
const through = (title: string, port: number): Way[] => [
  { title, port },
  { title: `${title} with a prefiller`, port, headers },
];
const go = process.env.PD_SIDECAR_GO;
const ways: readonly Way[] = [
  { title: "engine itself", port: engine },
  ...through("sidecar", await startSidecar(engine)),
  ...(go ? through("llm-d's sidecar", await startSidecar(engine, go)) : []),
];
console.log("| measured | way | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|---|");
for (const way of ways) print("first thousand", way, await measure(way, 0));
for (const way of ways) await warm(way);
for (const background of [0, streams]) {
  const found = ways.map((): Quantiles[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, way] of ways.entries()) found[at]?.push(await measure(way, background));
  for (const [at, way] of ways.entries())
    print(`${background} streams`, way, medians(found[at] as Quantiles[]));
}
for (const child of started) child.kill();
agent.destroy();
