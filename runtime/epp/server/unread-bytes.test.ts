import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { frames } from "../../manager/grpc/grpc-frames.ts";
import { GrpcServer } from "../../manager/grpc/grpc-server.ts";
import { HeldBytes } from "../../manager/held-bytes.ts";
import {
  body,
  newEvents,
  post,
  responseBody,
  standInPicker,
  toBytes,
} from "./conversation.fixture.ts";
import { extProcPath, extProcService } from "./ext-proc-service.ts";

/** H1: proxies that do not read what the picker has for them. */

const MiB = 2 ** 20;
const most = 8 * MiB;
let held: HeldBytes;
let server: GrpcServer;
let port: number;
const sessions: ClientHttp2Session[] = [];

beforeEach(async () => {
  held = new HeldBytes(most);
  const service = extProcService(standInPicker({}, newEvents()), () => {}, { held });
  server = new GrpcServer({ [extProcPath]: service.serve });
  port = await server.listen(0, "127.0.0.1");
});
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
  server.abort();
});

/** @param window bytes that the picker may send on each stream before the proxy reads */
function proxy(localAddress: string, window: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`, {
    settings: { initialWindowSize: window },
    // Otherwise the client itself resets streams once 10 MB wait to be sent.
    maxSessionMemory: 1_000,
    createConnection: () => connectTcp({ port, host: "127.0.0.1", localAddress }),
  });
  session.on("error", () => {});
  sessions.push(session);
  return session;
}

function open(session: ClientHttp2Session, messages: readonly object[]): ClientHttp2Stream {
  const stream = session.request({ ":method": "POST", ":path": extProcPath });
  stream.on("error", () => {});
  stream.write(frames(messages.map(toBytes)));
  return stream;
}

const prompt = JSON.stringify({ model: "m", prompt: "x".repeat(MiB) });
const request = [post(), body(prompt)];
const answered = [post(), body('{"model":"m","prompt":"hi"}'), { responseHeaders: {} }];

/** Opens streams one after the other, and returns the codes with which some were reset. */
async function resetsOf(count: number, next: () => ClientHttp2Stream): Promise<number[]> {
  const codes: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const stream = next();
    stream.on("close", () => codes.push(stream.rstCode));
    await sleep(5);
  }
  await expect.poll(() => codes.length, { timeout: 5_000 }).toBeGreaterThan(0);
  expect(held.bytes).toBeLessThanOrEqual(most);
  return codes;
}

it.each<[string, () => readonly object[]]>([
  ["answers with bodies", () => request],
  ["pieces of a response", () => [...answered, responseBody("x".repeat(MiB), false)]],
])("streams whose %s are not read are reset beyond the budget of all", async (_, messages) => {
  const session = proxy("127.0.0.2", 0);
  await once(session, "remoteSettings");
  const codes = await resetsOf(16, () => open(session, messages()));
  expect(new Set(codes)).toEqual(new Set([constants.NGHTTP2_ENHANCE_YOUR_CALM]));
});

it("streams that go on sending without reading are reset beyond the budget of all", async () => {
  const session = proxy("127.0.0.2", 0);
  await once(session, "remoteSettings");
  const piece = frames([toBytes(responseBody("x".repeat(16_000), false))]);
  const codes = await resetsOf(64, () => {
    const stream = open(session, answered);
    for (let at = 0; at < 40; at += 1) stream.write(piece);
    return stream;
  });
  expect(new Set(codes)).toEqual(new Set([constants.NGHTTP2_ENHANCE_YOUR_CALM]));
});

it("a half-closed stream whose answer is not read is reset beyond the budget of all", async () => {
  const session = proxy("127.0.0.2", 0);
  await once(session, "remoteSettings");
  const codes = await resetsOf(16, () => open(session, request).end());
  expect(new Set(codes)).toEqual(new Set([constants.NGHTTP2_ENHANCE_YOUR_CALM]));
});

it("a proxy at another address gets its answers meanwhile", async () => {
  const hostile = proxy("127.0.0.2", 0);
  await once(hostile, "remoteSettings");
  const gateway = proxy("127.0.0.1", 2 ** 30);
  let lost = 0;
  for (let at = 0; at < 16; at += 1) {
    for (let count = 0; count < 4; count += 1) open(hostile, request);
    const stream = open(gateway, request);
    stream.on("close", () => {
      lost += stream.rstCode === constants.NGHTTP2_NO_ERROR ? 0 : 1;
    });
    stream.resume();
    stream.end();
    await once(stream, "close");
  }
  expect(lost).toBe(0);
  expect(held.bytes).toBeLessThanOrEqual(most);
});

it("a proxy that reads holds nothing afterwards", async () => {
  const session = proxy("127.0.0.1", 2 ** 30);
  for (let at = 0; at < 20; at += 1) {
    const stream = open(session, request);
    stream.resume();
    stream.end();
    await once(stream, "close");
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  }
  await expect.poll(() => held.bytes).toBe(0);
});
