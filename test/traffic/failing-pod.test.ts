import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type Fault, FaultyServer } from "../../testing/model-server/faulty-server.ts";
import { type ModelServer, startModelServer } from "../../testing/model-server/model-server.ts";
import { startTraffic, type TrafficStack } from "./stack.ts";

/** One of four pods fails behind Envoy and the picker; the model servers are simulated. `npm run bench faults` has all faults. */

const port = 8000;
const requestsPerSecond = 50;
let networks = 0;
let stack: TrafficStack;
let servers: Array<{ server: FaultyServer; behind: ModelServer }> = [];

async function start(): Promise<FaultyServer> {
  networks += 1;
  servers = await Promise.all(
    [1, 2, 3, 4].map(async (host) => {
      const behind = await startModelServer({ stepMs: 2 });
      const ip = `127.${200 + (process.pid % 50)}.${networks}.${host}`;
      const server = new FaultyServer(ip, port, behind);
      await server.listen();
      return { server, behind };
    }),
  );
  stack = await startTraffic({ servers: [], recorders: servers.map(({ server }) => server) });
  return servers[0]?.server as FaultyServer;
}

afterEach(async () => {
  await stack?.stop();
  await Promise.all(servers.flatMap(({ server, behind }) => [server.stop(), behind.stop()]));
});

/** Sends requests for some seconds. Returns the number of them that failed. */
async function send(seconds: number): Promise<number> {
  const asked = [];
  for (let at = 0; at < seconds * requestsPerSecond; at += 1) {
    const prompt = `Request ${at} ${"word ".repeat(20)}`;
    const body = { model: "base", prompt, max_tokens: 4, stream: true as const };
    asked.push(
      stack.client.completions.create(body, { timeout: 3_000 }).then(
        async (stream) => {
          let isComplete = false;
          for await (const { choices } of stream)
            isComplete ||= choices.some((each) => each.finish_reason === "length");
          return isComplete;
        },
        () => false,
      ),
    );
    await sleep(1_000 / requestsPerSecond);
  }
  return (await Promise.all(asked)).filter((isComplete) => !isComplete).length;
}

async function ejected(): Promise<readonly object[]> {
  const page = await fetch(`http://127.0.0.1:${stack.picker.ports.metrics}/debug/state`);
  return ((await page.json()) as { ejected: object[] }).ejected;
}

describe("a failing pod gets no requests until it recovers", () => {
  it.each<Fault>(["500", "hang"])("with fault %s", async (fault) => {
    const pod = await start();
    await send(2);
    await pod.fail(fault);
    const load = send(10);
    // A second or two on a quiet machine; npm run bench faults measures the time.
    await expect
      .poll(ejected, { timeout: 6_000, interval: 50 })
      .toContainEqual(expect.objectContaining({ endpoint: "default/recorder-0-rank-0" }));
    const before = pod.requests;
    await sleep(4_000);
    // Two probes at most fall into four seconds.
    expect(pod.requests - before).toBeLessThanOrEqual(2);
    await load;
    await pod.recover();
    await sleep(1_000);
    await send(8);
    const recovered = pod.requests;
    expect(await send(4)).toBe(0);
    expect((pod.requests - recovered) / (4 * requestsPerSecond)).toBeGreaterThan(0.15);
  });
}, 120_000);
