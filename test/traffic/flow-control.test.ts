import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { objectiveOf, startTraffic, type TrafficStack } from "./stack.ts";

/** Requests wait in the shipped picker, and not at the model servers: behind a real Envoy, at model servers with few slots. */

const slots = 4;
const servers = [0, 1].map(() => ({ maxSequences: slots, stepMs: 10 }));
const objects = [objectiveOf("critical", 10), objectiveOf("shed", -1)];

let stack: TrafficStack;
afterEach(() => stack?.stop());

interface Started {
  readonly detector?: object;
  readonly pickerFlags?: readonly string[];
}

const configured = { type: "concurrency-detector", parameters: { maxConcurrency: slots } };

async function start(
  flowControl: object = {},
  { detector = configured, pickerFlags = [] }: Started = {},
) {
  const config = {
    apiVersion: "llm-d.ai/v1alpha1",
    kind: "EndpointPickerConfig",
    featureGates: ["flowControl"],
    plugins: [{ type: "active-request-scorer" }, { ...detector, name: "detector" }],
    schedulingProfiles: [{ name: "default", plugins: [{ pluginRef: "active-request-scorer" }] }],
    flowControl: { saturationDetector: { pluginRef: "detector" }, ...flowControl },
  };
  stack = await startTraffic({
    ...{ servers, objects },
    pickerArgs: [`--config-text=${JSON.stringify(config)}`, ...pickerFlags],
  });
  return stack;
}

interface Asked {
  readonly prompt?: string;
  readonly objective?: string;
  readonly tokens?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Returns the status, and the milliseconds that it took. */
async function ask({
  prompt = "Hello.",
  objective,
  tokens = 20,
  headers = {},
  signal,
}: Asked = {}) {
  const began = performance.now();
  const named = objective && { "x-llm-d-inference-objective": objective };
  const outcome = await stack.client.completions
    .create(
      { model: "base", prompt, max_tokens: tokens },
      { headers: { ...headers, ...named }, ...(signal && { signal }) },
    )
    .then(
      () => ({ status: 200, headers: undefined, message: "" }),
      (error: unknown) => {
        if (!(error instanceof OpenAI.APIError)) throw error;
        return { status: error.status as number, headers: error.headers, message: error.message };
      },
    );
  return { ...outcome, ms: performance.now() - began };
}

const flows = async () =>
  (await (await fetch(`http://127.0.0.1:${stack.picker.ports.metrics}/debug/flows`)).json()) as {
    requests: number;
    promptTokensPerSecond: number;
    bands: Array<{ priority: number; requests: number }>;
    endpoints: Array<{ load: number; slots: number }>;
  };
const waiting = async () => (await flows()).requests;
const untilWaiting = (count: number) => expect.poll(waiting, { timeout: 20_000 }).toBe(count);

const metrics = async () =>
  (await fetch(`http://127.0.0.1:${stack.picker.ports.metrics}/metrics`)).text();

const untilBusy = () =>
  expect
    .poll(() => stack.servers.map(({ running }) => running), { timeout: 20_000 })
    .toEqual([slots, slots]);

/** Keeps all slots busy until the signal: as many requests as there are slots. */
async function fill(signal: AbortSignal) {
  const busy = Array.from({ length: servers.length * slots }, () =>
    ask({ tokens: 1_000, signal }).catch(() => {}),
  );
  await untilBusy();
  return busy;
}

type Answer = Awaited<ReturnType<typeof ask>>;

/**
 * An answer with the fields that identify the refusing program: the picker gives a reason, Envoy and model servers do
 * not.
 */
const told = ({ status, headers, message }: Pick<Answer, "status" | "headers" | "message">) =>
  status === 200
    ? "200"
    : `${status} ${headers?.get("x-llm-d-request-dropped-reason") ?? "no reason"}: ${message}`;

/** Envoy's flags of requests that were not answered with 200: they show where each ended. */
const whatEnvoySaw = async (answers: readonly string[]) =>
  answers.every((answer) => answer === "200")
    ? ""
    : JSON.stringify((await stack.envoy.accessLog()).filter(({ status }) => status !== 200));

describe("at twice the load", () => {
  it.each([
    ["from the configuration", configured],
    ["learnt by the picker", { type: "utilization-detector" }],
  ])(
    "at twice the load, by slots %s, requests wait in the picker, and critical ones are sent first",
    async (_, detector) => {
      await start({}, { detector });
      const until = Date.now() + 8_000;
      const learnt = Date.now() + 3_000;
      const seen: number[] = [];
      const watch = async () => {
        for (; Date.now() < until; await sleep(10))
          if (Date.now() > learnt)
            seen.push(...stack.servers.map(({ running }) => running - slots));
      };
      const results: Array<{ answer: string; ms: number; critical: boolean }> = [];
      const client = async (critical: boolean) => {
        while (Date.now() < until) {
          const { ms, ...answer } = await ask(critical ? { objective: "critical" } : {});
          results.push({ answer: told(answer), ms, critical });
        }
      };
      const clients = 2 * servers.length * slots;
      await Promise.all([
        watch(),
        ...Array.from({ length: clients }, (_, at) => client(at % 4 === 0)),
      ]);
      const answers = [...new Set(results.map(({ answer }) => answer))];
      expect(answers, await whatEnvoySaw(answers)).toEqual(["200"]);
      seen.sort((a, b) => a - b);
      expect(seen[Math.floor(0.99 * seen.length)]).toBeLessThanOrEqual(1);
      const median = (critical: boolean) => {
        const times = results.filter((each) => each.critical === critical).map(({ ms }) => ms);
        return times.sort((a, b) => a - b)[times.length >> 1] as number;
      };
      expect(median(true)).toBeLessThan(median(false));
    },
  );
});

describe("a request that waits", () => {
  it("is cancelled when its client disconnects", async () => {
    await start();
    const load = new AbortController();
    const busy = await fill(load.signal);
    const mine = new AbortController();
    const asked = ask({ signal: mine.signal }).catch(() => "gone");
    await untilWaiting(1);
    expect((await flows()).promptTokensPerSecond).toBeGreaterThan(0);
    mine.abort();
    await untilWaiting(0);
    await asked;
    load.abort();
    await Promise.all(busy);
    expect(await metrics()).toMatch(/requests_total\{outcome="EvictedContextCancelled".*\} 1$/m);
  });

  it("gets 429 with retry-after when its TTL expires", async () => {
    await start();
    const load = new AbortController();
    const busy = await fill(load.signal);
    const { status, headers } = await ask({ headers: { "x-llm-d-request-ttl-ms": "200" } });
    expect(status).toBe(429);
    expect(headers?.get("x-llm-d-request-dropped-reason")).toBe("rejected-ttl-expired");
    expect(Number(headers?.get("retry-after"))).toBeGreaterThan(0);
    load.abort();
    await Promise.all(busy);
  });

  it("gets 429 with retry-after if the queue of its band is full", async () => {
    await start({ priorityBands: [{ priority: 0, maxRequests: "1" }] });
    const load = new AbortController();
    const busy = await fill(load.signal);
    const first = ask({ signal: load.signal }).catch(() => {});
    await untilWaiting(1);
    const { status, headers } = await ask();
    expect(status).toBe(429);
    expect(headers?.get("x-llm-d-request-dropped-reason")).toBe("rejected-saturated");
    expect(headers?.get("retry-after")).toMatch(/^\d+$/);
    load.abort();
    await Promise.all([first, ...busy]);
  });

  it("is served when an empty pool gets a pod", async () => {
    const { servers, use } = await start();
    await use([]);
    const asked = ask();
    await untilWaiting(1);
    const pod = {
      kind: "Pod",
      metadata: { name: "late", labels: { app: "model" } },
      status: { podIP: servers[0]?.ip },
    };
    await use([pod]);
    expect((await asked).status).toBe(200);
  });

  it("gets 503 if the pool gets no pod within noEndpointRequestTTL", async () => {
    const { use } = await start({ noEndpointRequestTTL: "300ms" });
    await use([]);
    const { status, headers } = await ask();
    expect(status).toBe(503);
    expect(headers?.get("x-llm-d-request-dropped-reason")).toBe("rejected-no-endpoints");
  });

  it.each([
    ["is served while the picker shuts down", 30, 200],
    ["is refused when the picker's time is over", 1, 503],
  ])("%s", async (_, seconds, expected) => {
    await start({}, { pickerFlags: [`--shutdown-timeout=${seconds}s`] });
    const load = new AbortController();
    const busy = await fill(load.signal);
    const asked = ask();
    await untilWaiting(1);
    const stopped = stack.picker.stop();
    if (expected === 200) load.abort();
    const { status, headers } = await asked;
    expect(status).toBe(expected);
    if (expected === 503)
      expect(headers?.get("x-llm-d-request-dropped-reason")).toBe("rejected-shutting-down");
    load.abort();
    await Promise.all([stopped, ...busy]);
  });
});

it("no critical request is refused while bodies of default priority fill the memory for bodies", async () => {
  // Room for ten critical requests even if the streams of all of them wait for a turn, with 256 KiB each.
  await start({}, { pickerFlags: ["--max-buffered-body-size=4MiB"] });
  const prompt = "a ".repeat(32_000);
  let isOver = false;
  const others = Array.from({ length: 80 }, async () => {
    const answers: Awaited<ReturnType<typeof ask>>[] = [];
    while (!isOver) {
      const answer = await ask({ prompt });
      answers.push(answer);
      if (answer.status !== 200) await sleep(100);
    }
    return answers;
  });
  await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThan(20);
  const some = () =>
    Promise.all(
      Array.from({ length: 10 }, () => ask({ prompt, objective: "critical", tokens: 1 })),
    );
  const critical = [];
  for (let at = 0; at < 5; at += 1) critical.push(...(await some()));
  expect(critical.filter(({ status }) => status !== 200)).toEqual([]);
  isOver = true;
  const refused = (await Promise.all(others)).flat().filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, headers } of refused)
    expect([status, headers?.get("x-llm-d-request-dropped-reason")]).toEqual([
      503,
      "rejected-no-room-for-body",
    ]);
}, 60_000);

it("a running sheddable request is cut off for a request that is not sheddable", async () => {
  await start({ enableEviction: true });
  const load = new AbortController();
  const shed = Array.from({ length: servers.length * slots }, () =>
    ask({ objective: "shed", tokens: 400, signal: load.signal }),
  );
  await untilBusy();
  const { status } = await ask({ tokens: 4 });
  expect(status).toBe(200);
  const cut = (await Promise.allSettled(shed)).flatMap((result) =>
    result.status === "fulfilled" && result.value.status !== 200 ? [result.value] : [],
  );
  expect(cut.map(({ status }) => status)).toContain(429);
  expect(cut[0]?.headers?.get("x-llm-d-request-dropped-reason")).toBe("evicted");
});
