/**
 * The other clients during an attack, in their own process, so that the attacker's work is not measured:
 * `node test/attacks/bystanders.ts --url http://127.0.0.1:8080 --health 9003`. Until SIGTERM, 20 clients read streaming
 * answers, one client sends short requests one after another, and probes run as the kubelet's do. Prints `running`, and
 * a report (`BystandersReport`) at the end.
 */
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { checkHealth } from "../../runtime/manager/health/check-health.fixture.ts";

/** Results of the bystanders. Times in milliseconds. */
export interface BystandersReport {
  /** Streaming answers that began before the attack, and the answers that arrived whole. */
  readonly answers: number;
  readonly complete: number;
  /** The number of short requests. */
  readonly requests: number;
  readonly failures: number;
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  readonly probes: number;
  /** Not served, or not within a second, which is the timeout of a probe. */
  readonly probesFailed: number;
  /** Reasons for the first few failures. */
  readonly problems: readonly string[];
}

const { values } = parseArgs({
  options: { url: { type: "string" }, health: { type: "string" } },
});
const url = `${values.url}/v1/completions`;
const healthPort = Number(values.health);
const clients = 20;
const eventInterval = 20;
const probeInterval = 500;
const probeTimeout = 1_000;
const pause = 20;

const stopped = new AbortController();
process.once("SIGTERM", () => stopped.abort());
const over = () => stopped.signal.aborted;

const problems: string[] = [];
const problem = (text: string) => {
  if (problems.length < 8) problems.push(text);
};
const latencies: number[] = [];
const count = { failures: 0, complete: 0, probes: 0, probesFailed: 0 };

/** Posts, and answers with the status and the body's end. */
function post(body: object, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; tail: string }>((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let tail = "";
      response.on("data", (bytes: Buffer) => {
        tail = (tail + bytes.toString()).slice(-200);
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, tail }));
    });
    sent.end(JSON.stringify(body));
  });
}

/** The longest possible answers: each ends when all bystanders end. */
async function streamingClient(at: number): Promise<void> {
  const body = { model: "real", prompt: `client ${at}`, stream: true };
  do {
    const headers = { "x-events": "120", "x-interval": String(eventInterval) };
    answers += 1;
    try {
      const { status, tail } = await post(body, headers);
      if (status === 200 && tail.endsWith("data: [DONE]\n\n")) count.complete += 1;
      else problem(`an answer ended with status ${status} and ${JSON.stringify(tail.slice(-40))}`);
    } catch (error) {
      problem(`an answer broke off: ${(error as Error).message}`);
      await sleep(100);
    }
  } while (!over());
}
let answers = 0;

async function shortRequests(): Promise<void> {
  while (!over()) {
    const start = performance.now();
    try {
      const { status } = await post({ model: "real", prompt: "hello" });
      if (status !== 200) throw new Error(`status ${status}`);
      latencies.push(performance.now() - start);
    } catch (error) {
      count.failures += 1;
      problem(`a short request failed: ${(error as Error).message}`);
    }
    await sleep(pause);
  }
}

async function probes(): Promise<void> {
  while (!over()) {
    count.probes += 1;
    const late = sleep(probeTimeout).then(() => "no answer in time" as const);
    const status = await Promise.race([
      checkHealth(healthPort, "inference-extension").catch((error: Error) => error.message),
      late,
    ]);
    if (status !== 1) {
      count.probesFailed += 1;
      problem(`a probe failed: ${status}`);
    }
    await sleep(probeInterval);
  }
}

const everybody = Promise.all([
  ...Array.from({ length: clients }, (_, at) => streamingClient(at)),
  shortRequests(),
  probes(),
]);
await sleep(300);
console.log("running");
await everybody;
latencies.sort((a, b) => a - b);
const quantile = (share: number) =>
  latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? Number.NaN;
const report: BystandersReport = {
  ...count,
  answers,
  requests: latencies.length,
  p50: quantile(0.5),
  p99: quantile(0.99),
  slowest: latencies.at(-1) ?? Number.NaN,
  problems,
};
console.log(JSON.stringify(report));
process.exit(0);
