import { spawn } from "node:child_process";
import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { Client, credentials, status } from "@grpc/grpc-js";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ExplainPage } from "../../../sdk/routing/explained-decision.ts";
import { objects, pod } from "../../epp/datastore/objects.fixture.ts";
import type { PoolObjects } from "../../epp/datastore/pool-objects.ts";
import {
  body,
  newEvents,
  post,
  standInPicker,
  toAnswer,
  toBytes,
} from "../../epp/server/conversation.fixture.ts";
import { extProcPath } from "../../epp/server/ext-proc-service.ts";
import { checkHealth } from "../../manager/health/check-health.fixture.ts";
import { type HealthStatus, healthStatus } from "../../manager/health/health-service.ts";
import { newLog } from "../../manager/log.ts";
import { readCommandLine } from "../../manager/program.ts";
import { program } from "./program.ts";
import { type PoolConnection, type RunningPicker, startEndpointPicker } from "./start.ts";

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const identity = (bytes: Buffer): Buffer => bytes;

/** A pool whose objects the test sends. */
class PoolOfTest {
  #onChange: ((objects: PoolObjects) => void) | undefined;
  #synced = false;

  readonly synced = () => this.#synced;
  readonly start = (onChange: (objects: PoolObjects) => void) => {
    this.#onChange = onChange;
  };
  readonly stop = async () => {};

  fill(): void {
    this.#synced = true;
    this.#onChange?.(objects({ pods: [pod("a")] }));
  }
}

interface Started {
  readonly picker: RunningPicker;
  readonly pool: PoolOfTest;
  readonly logged: string[];
}

/** An API server that accepts no token and has no Lease. */
const noServer: PoolConnection["client"] = {
  request: async () => ({ status: { authenticated: false } }) as never,
  close() {},
};

async function start(
  flags: readonly string[] = [],
  { client = noServer, lease }: Partial<PoolConnection> = {},
): Promise<Started> {
  const invocation = readCommandLine(program, [
    "--pool-name=pool",
    "--grpc-port=0",
    "--grpc-health-port=0",
    "--metrics-port=0",
    ...flags,
  ]);
  if (invocation.kind !== "run" || invocation.options.mode !== "pool")
    throw new Error(JSON.stringify(invocation));
  const logged: string[] = [];
  const pool = new PoolOfTest();
  const { scheduler } = standInPicker({}, newEvents());
  const picker = await startEndpointPicker(
    invocation.options,
    {
      configure: async () => ({ scheduler, flowControl: undefined, scraping: {} }),
      connect: async () => ({
        source: pool,
        client,
        lease,
      }),
    },
    newLog({ verbosity: 2, now: () => 0, write: (line) => logged.push(line) }),
  );
  cleanups.push(() => picker.stop("SIGINT"));
  return { picker, pool, logged };
}

/** Returns the responses to a completion request. */
function ask(client: Client): Promise<object[]> {
  const call = client.makeBidiStreamRequest(extProcPath, identity, identity);
  const answers: object[] = [];
  call.on("data", (bytes: Buffer) => answers.push(toAnswer(bytes)));
  for (const message of [post(), body('{"model":"m","prompt":"hi"}')]) call.write(toBytes(message));
  call.end();
  return new Promise((resolve, reject) =>
    call.on("error", reject).on("end", () => resolve(answers)),
  );
}

/** Polls, because the health thread learns of changes with a delay. */
const healthBecomes = ({ ports }: RunningPicker, service: string, status: HealthStatus) =>
  expect.poll(() => checkHealth(ports.health, service)).toBe(status);

function clientOf(port: number, channel = credentials.createInsecure()): Client {
  const client = new Client(`127.0.0.1:${port}`, channel);
  cleanups.push(() => client.close());
  return client;
}

it("the picker is ready once its pool was read, and then picks", async () => {
  const { picker, pool } = await start(["--secure-serving=false"]);
  const client = clientOf(picker.ports.grpc);
  expect(await checkHealth(picker.ports.health, "inference-extension")).toBe(
    healthStatus.notServing,
  );
  expect(await ask(client)).toMatchObject([{ to: "immediateResponse", status: 503 }]);
  pool.fill();
  await healthBecomes(picker, "inference-extension", healthStatus.serving);
  expect(await ask(client)).toMatchObject([
    { to: "requestHeaders", set: { "x-gateway-destination-endpoint": "10.0.0.1:8000" } },
    { to: "requestBody" },
  ]);
});

it("the health service responds while the main thread is blocked", async () => {
  const { picker, pool } = await start(["--secure-serving=false"]);
  pool.fill();
  await healthBecomes(picker, "readiness", healthStatus.serving);
  const probe = join(import.meta.dirname, "../../manager/health/probe.fixture.ts");
  const prober = spawn(process.execPath, [probe, String(picker.ports.health), "5"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [lines] = [text(prober.stdout)];
  await once(prober.stdout, "readable");
  // Blocks this thread for 2 seconds.
  for (const until = Date.now() + 2000; Date.now() < until; );
  const answers = (await lines)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { status: number; ms: number });
  expect(answers).toHaveLength(6);
  for (const { status, ms } of answers) {
    expect(status).toBe(healthStatus.serving);
    expect(ms).toBeLessThan(1000);
  }
});

it("the picker is alive but not ready while its pool is missing", async () => {
  const { picker } = await start(["--secure-serving=false"]);
  expect(await checkHealth(picker.ports.health, "liveness")).toBe(healthStatus.serving);
  expect(await checkHealth(picker.ports.health, "readiness")).toBe(healthStatus.notServing);
});

it("ext_proc uses TLS by default, with a self-signed certificate", async () => {
  const { picker } = await start();
  const socket = connectTls({
    port: picker.ports.grpc,
    host: "127.0.0.1",
    ALPNProtocols: ["h2"],
    rejectUnauthorized: false,
  });
  cleanups.push(() => socket.destroy());
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  const certificate = socket.getPeerX509Certificate() as X509Certificate;
  expect(socket.alpnProtocol).toBe("h2");
  expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
  const trusting = credentials.createSsl(Buffer.from(certificate.toString()), null, null, {
    checkServerIdentity: () => undefined,
  });
  expect(await ask(clientOf(picker.ports.grpc, trusting))).toMatchObject([{ status: 503 }]);
});

it("--health-checking serves health on the ext_proc port", async () => {
  const { picker } = await start(["--secure-serving=false", "--health-checking"]);
  expect(await checkHealth(picker.ports.grpc, "")).toBe(healthStatus.notServing);
  const without = await start(["--secure-serving=false"]);
  await expect(checkHealth(without.picker.ports.grpc, "")).rejects.toMatchObject({
    code: status.UNIMPLEMENTED,
  });
});

it("messages beyond --grpc-max-recv-msg-size are rejected", async () => {
  const { picker } = await start(["--secure-serving=false", "--grpc-max-recv-msg-size=10"]);
  await expect(ask(clientOf(picker.ports.grpc))).rejects.toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
  });
});

describe("pages for operators", () => {
  const read = ({ picker }: Started, path: string) =>
    fetch(`http://127.0.0.1:${picker.ports.metrics}${path}`);

  it("pages require access by default", async () => {
    const started = await start();
    expect((await read(started, "/metrics")).status).toBe(401);
    expect((await read(started, "/debug/state")).status).toBe(401);
  });

  it("pages show metrics of requests, pool and process, and the pool's state", async () => {
    const started = await start(["--metrics-endpoint-auth=false", "--secure-serving=false"]);
    started.pool.fill();
    await ask(clientOf(started.picker.ports.grpc));
    const metrics = await (await read(started, "/metrics")).text();
    for (const line of [
      'llm_d_epp_request_total{model_name="m",target_model_name="m",fairness_id="default-flow",priority="0"} 1',
      'inference_pool_ready_pods{name="pool"} 0',
      'llm_d_epp_info{commit="",build_ref="0.1.0"} 1',
    ])
      expect(metrics).toContain(`${line}\n`);
    expect(metrics).toMatch(/\nprocess_cpu_seconds_total \d/);
    expect(await (await read(started, "/debug/state")).json()).toMatchObject({
      endpoints: [{ id: "default/a-rank-0" }],
    });
  });

  it("pages show the last decisions, with the same access check", async () => {
    const closed = await start();
    expect((await read(closed, "/debug/explain?request-id=x")).status).toBe(401);
    const started = await start(["--metrics-endpoint-auth=false", "--secure-serving=false"]);
    started.pool.fill();
    await ask(clientOf(started.picker.ports.grpc));
    const explain = async (query: string) =>
      (await (await read(started, `/debug/explain${query}`)).json()) as ExplainPage;
    const { kept, last } = await explain("");
    expect(kept).toBe(200);
    expect(last).toMatchObject([{ model: "m", chosen: "10.0.0.1:8000" }]);
    expect(await explain(`?request-id=${last?.[0]?.requestId}`)).toMatchObject({
      decisions: [{ model: "m", chosen: ["10.0.0.1:8000"], refusal: null }],
    });
    expect(await explain("?request-id=another")).toEqual({ kept: 200, decisions: [] });
    const without = await start([
      ...["--metrics-endpoint-auth=false", "--secure-serving=false", "--explain-history-size=0"],
    ]);
    without.pool.fill();
    await ask(clientOf(without.picker.ports.grpc));
    expect(await (await read(without, "/debug/explain")).json()).toEqual({ kept: 0, last: [] });
  });
});

describe("leader election", () => {
  it("only the leader is ready, and it releases its lease when it drains", async () => {
    const lease = { namespace: "default", name: "pool", timing: { retryMs: 20 } };
    let held: { spec: { holderIdentity: string } } = {
      metadata: { name: "pool", resourceVersion: "1" },
      spec: { holderIdentity: "another", leaseDurationSeconds: 3_600 },
    } as never;
    const request = async (
      method: string,
      _path: string,
      { body }: { body?: typeof held } = {},
    ) => {
      if (method === "PUT" && body) held = body;
      return held as never;
    };
    const client = { ...noServer, request } as PoolConnection["client"];
    const { picker, pool } = await start(["--ha-enable-leader-election"], { client, lease });
    pool.fill();
    const { health: port } = picker.ports;
    expect(await checkHealth(port, "readiness")).toBe(healthStatus.notServing);
    expect(await checkHealth(port, "liveness")).toBe(healthStatus.serving);
    held = { ...held, spec: { holderIdentity: "" } };
    await healthBecomes(picker, "readiness", healthStatus.serving);
    expect(held.spec.holderIdentity).not.toBe("");
    await picker.stop("SIGINT");
    expect(held.spec.holderIdentity).toBe("");
  });
});

describe("drain", () => {
  it("C5: a draining picker is not ready, serves new requests, and lets running ones end", async () => {
    const { picker, pool } = await start(["--secure-serving=false", "--drain-timeout=1h"]);
    pool.fill();
    const client = clientOf(picker.ports.grpc);
    const running = client.makeBidiStreamRequest(extProcPath, identity, identity);
    running.on("error", () => {});
    const answered = new Promise((resolve) => running.once("data", resolve));
    for (const message of [post(), body('{"model":"m","prompt":"hi"}')])
      running.write(toBytes(message));
    await answered;

    void picker.stop("SIGTERM");
    expect(await checkHealth(picker.ports.health, "readiness")).toBe(healthStatus.notServing);
    expect(await ask(client)).toMatchObject([{ to: "requestHeaders" }, { to: "requestBody" }]);

    let drained = false;
    const draining = picker.stop("SIGINT").then(() => {
      drained = true;
    });
    await vi.waitFor(() => expect(ask(clientOf(picker.ports.grpc))).rejects.toBeDefined());
    expect(drained).toBe(false);
    const status = new Promise((resolve) => running.once("status", resolve));
    running.end();
    expect(await status).toMatchObject({ code: 0 });
    await draining;
  });
});

it("the picker logs its ports when it serves", async () => {
  const { picker, logged } = await start();
  expect(JSON.parse(logged[0] ?? "")).toMatchObject({
    msg: "serving",
    name: "pool",
    ports: picker.ports,
  });
});

it("the picker does not start on a port in use", async () => {
  const { picker } = await start();
  await expect(start([`--grpc-port=${picker.ports.grpc}`])).rejects.toThrow(/EADDRINUSE/);
});
