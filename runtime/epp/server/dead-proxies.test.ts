import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { frames } from "../../manager/grpc/grpc-frames.ts";
import { GrpcServer, type Pings } from "../../manager/grpc/grpc-server.ts";
import type { BodyBudget } from "../request-path/body-budget.ts";
import {
  body,
  type Events,
  newEvents,
  post,
  standInPicker,
  toBytes,
} from "./conversation.fixture.ts";
import { type ExtProcService, extProcPath, extProcService } from "./ext-proc-service.ts";
import { newStreamShares, type StreamLimits } from "./open-streams.ts";

/** B6: proxies that vanish, streams that never end, requests that never arrive in full. */

const cleanups: Array<() => unknown> = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

interface Serving {
  readonly server: GrpcServer;
  readonly service: ExtProcService;
  readonly port: number;
  readonly events: Events;
  readonly bodies: BodyBudget;
}

async function serve(limits: Partial<StreamLimits> = {}, pings?: Pings): Promise<Serving> {
  const events = newEvents();
  const picker = {
    ...standInPicker({}, events),
    clock: { now: () => performance.now(), random: () => 0 },
  };
  const service = extProcService(picker, (error) => events.reported.push(error), limits);
  const server = new GrpcServer(
    { [extProcPath]: service.serve },
    pings === undefined ? {} : { pings },
  );
  const port = await server.listen(0, "127.0.0.1");
  cleanups.push(() => server.abort());
  return { server, service, port, events, bodies: picker.bodies };
}

const method = {
  ":method": "POST",
  ":path": extProcPath,
  "content-type": "application/grpc",
  te: "trailers",
} as const;

/** A proxy with a request in flight. */
async function proxyOf({ port, service }: Serving, settings = {}, prompt = "hi") {
  const socket: Socket = connectTcp(port, "127.0.0.1");
  const session = connectHttp2(`http://127.0.0.1:${port}`, {
    createConnection: () => socket,
    settings,
  });
  session.on("error", () => {});
  cleanups.push(() => session.destroy());
  const stream = session.request(method);
  stream.on("error", () => {});
  stream.resume();
  stream.write(frames([toBytes(post()), toBytes(body(JSON.stringify({ model: "m", prompt })))]));
  await expect.poll(() => service.openStreams()).toBe(1);
  return { socket, session, stream };
}

it("B6: requests of a proxy that vanished stop counting as running after a ping timeout", async () => {
  const serving = await serve({}, { intervalMs: 50, timeoutMs: 100 });
  const { socket } = await proxyOf(serving);
  await expect.poll(() => serving.events.running).toBe(1);
  // It neither answers pings nor closes the connection.
  socket.pause();
  socket.removeAllListeners("data");
  (socket as unknown as { _handle: { readStop(): void } })._handle.readStop();
  await expect.poll(() => serving.events.running, { timeout: 5_000 }).toBe(0);
  expect(serving.service.openStreams()).toBe(0);
});

it("a proxy that answers pings keeps its streams", async () => {
  const serving = await serve({}, { intervalMs: 20, timeoutMs: 500 });
  await proxyOf(serving);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(serving.service.openStreams()).toBe(1);
});

it("B6: a stream reset with NO_ERROR before its answer is written closes, and shutdown completes", async () => {
  const serving = await serve();
  const { session, stream } = await proxyOf(serving, { initialWindowSize: 0 });
  await expect.poll(() => serving.events.running).toBe(1);
  stream.close(constants.NGHTTP2_NO_ERROR);
  session.goaway(constants.NGHTTP2_NO_ERROR);
  await expect.poll(() => serving.service.openStreams(), { timeout: 5_000 }).toBe(0);
  expect(serving.events.running).toBe(0);
  session.destroy();
  await serving.server.stop();
});

it("B6: a stream reset with NO_ERROR before its answer is written closes while its connection stays open", async () => {
  const serving = await serve();
  // While an answer this long waits, the picker reads nothing from the stream: neither more messages nor its end.
  const { session, stream } = await proxyOf(serving, { initialWindowSize: 0 }, "x".repeat(40_000));
  await expect.poll(() => serving.events.running).toBe(1);
  const more = frames([toBytes({ responseHeaders: {} })]);
  stream.write(more, () => stream.close(constants.NGHTTP2_NO_ERROR));
  await expect.poll(() => serving.service.openStreams(), { timeout: 5_000 }).toBe(0);
  expect(serving.events.running).toBe(0);
  expect(session.destroyed).toBe(false);
});

it("shutdown ends streams that are still open after the drain timeout", async () => {
  const serving = await serve();
  await proxyOf(serving);
  const began = performance.now();
  await serving.server.stop(200);
  expect(performance.now() - began).toBeGreaterThan(150);
});

it("B6: an incomplete request is refused at its timeout, and a stream ends at its maximum age", async () => {
  const waiting = await serve({ requestTimeoutMs: 100 });
  const session = connectHttp2(`http://127.0.0.1:${waiting.port}`);
  cleanups.push(() => session.destroy());
  const slow = session.request(method);
  slow.write(frames([toBytes(post()), toBytes(body('{"model"', false))]));
  const chunks: Buffer[] = [];
  slow.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(slow, "end");
  expect(Buffer.concat(chunks).toString()).toContain("RequestTimeout");

  const old = await serve({ maxStreamAgeMs: 100 });
  const { stream } = await proxyOf(old);
  const [trailers] = await once(stream, "trailers");
  expect(trailers).toMatchObject({ "grpc-status": "4" });
});

it("B6: streams beyond the limit are refused with REFUSED_STREAM", async () => {
  const serving = await serve({ shares: newStreamShares(1) });
  const { session } = await proxyOf(serving);
  const second = session.request(method);
  second.on("error", () => {});
  await new Promise((resolve) => second.once("close", resolve));
  expect(second.rstCode).toBe(constants.NGHTTP2_REFUSED_STREAM);
  expect(serving.service.openStreams()).toBe(1);
});

it("Q1: an address with idle streams on many connections does not use up the streams of another address", async () => {
  const serving = await serve({ shares: newStreamShares(300) });
  const refused = new Map<string, number>();
  const idle = async (localAddress: string, connections: number, streams: number) => {
    for (let at = 0; at < connections; at += 1) {
      const session = connectHttp2(`http://127.0.0.1:${serving.port}`, {
        createConnection: () => connectTcp({ port: serving.port, host: "127.0.0.1", localAddress }),
      });
      session.on("error", () => {});
      cleanups.push(() => session.destroy());
      for (let opened = 0; opened < streams; opened += 1) {
        const stream = session.request(method);
        stream.on("error", () => {});
        stream.on("close", () => {
          refused.set(localAddress, (refused.get(localAddress) ?? 0) + 1);
        });
      }
      await new Promise((resolve) => session.ping(resolve));
    }
  };
  await idle("127.0.0.2", 9, 50);
  await expect.poll(() => refused.get("127.0.0.2")).toBe(250);
  await idle("127.0.0.1", 1, 50);
  await expect.poll(() => serving.service.openStreams()).toBe(250);
  expect(refused.get("127.0.0.1")).toBeUndefined();
});

it.each([0, 1, 2, 3, 4, 5])(
  "M5: a stream reset after %i messages leaves no open stream, running request or held bytes",
  async (count) => {
    const serving = await serve();
    const { port, service, events } = serving;
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on("error", () => {});
    cleanups.push(() => session.destroy());
    const messages = [
      post(),
      body('{"model":"m",', false),
      body('"prompt":"hi"}'),
      { responseHeaders: { headers: { headers: [] } } },
      { responseBody: { body: Buffer.from("data: {}"), endOfStream: false } },
    ].map(toBytes);
    const rest = frames([toBytes(body("never whole", false))]).subarray(0, 9);
    for (let at = 0; at < 50; at += 1) {
      const stream = session.request(method);
      stream.on("error", () => {});
      stream.resume();
      stream.write(Buffer.concat([frames(messages.slice(0, count)), rest]));
      await new Promise((resolve) => setTimeout(resolve, at % 3));
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await expect.poll(() => service.openStreams()).toBe(0);
    expect(events.running).toBe(0);
    expect([serving.bodies.bytes, serving.bodies.briefBytes]).toEqual([0, 0]);
    expect(events.completed.length).toBe(events.received.length - events.refused.length);
    if (count >= 3) expect(events.completed.length).toBeGreaterThan(0);
    expect(events.reported).toEqual([]);
  },
);
