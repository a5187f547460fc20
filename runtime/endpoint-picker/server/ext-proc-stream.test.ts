import {
  Client,
  type ClientDuplexStream,
  credentials,
  type Server,
  ServerCredentials,
  status,
} from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Answer,
  body,
  newEvents,
  post,
  responseBody,
  standInPicker,
  toAnswer,
  toBytes,
} from "./conversation.fixture.ts";
import { type ExtProcService, extProcPath, extProcService } from "./ext-proc-stream.ts";
import { bind, newGrpcServer } from "./grpc-server.ts";

const prompt = '{"model":"m","prompt":"hello"}';
const identity = (bytes: Buffer): Buffer => bytes;
const events = newEvents();
let server: Server;
let service: ExtProcService;
let client: Client;

beforeAll(async () => {
  server = newGrpcServer();
  service = extProcService(standInPicker({}, events), (error) => events.reported.push(error), {
    maxReceiveBytes: 5_000_000,
  });
  const serve = { path: extProcPath, serve: service.serve };
  const port = await bind(server, "127.0.0.1:0", ServerCredentials.createInsecure(), serve);
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
});
afterAll(() => {
  client.close();
  server.forceShutdown();
});

/** A stream of a gRPC library. */
class Peer {
  readonly call: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(
    extProcPath,
    identity,
    identity,
  );
  readonly answers: Answer[] = [];
  readonly ended: Promise<{ code: number; details: string }>;
  #waiting: Array<{ count: number; resolve: () => void }> = [];

  constructor() {
    this.ended = new Promise((resolve) => this.call.on("status", resolve));
    this.call.on("error", () => {});
    this.call.on("data", (bytes: Buffer) => {
      this.answers.push(toAnswer(bytes));
      for (const { count, resolve } of this.#waiting) if (this.answers.length >= count) resolve();
    });
  }

  say(...messages: object[]): this {
    for (const message of messages) this.call.write(toBytes(message));
    return this;
  }

  heard(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.answers.length >= count) resolve();
      else this.#waiting.push({ count, resolve });
    });
  }
}

describe("a stream of a gRPC client", () => {
  it("is answered, and ends well when the client ends it", async () => {
    const peer = new Peer().say(post(), body(prompt));
    await peer.heard(2);
    expect(service.openStreams()).toBe(1);
    peer.call.end();
    expect(await peer.ended).toMatchObject({ code: status.OK });
    expect(events.running).toBe(0);
  });

  it("that is half-closed with its body is answered", async () => {
    const peer = new Peer().say(post(), body(prompt));
    peer.call.end();
    expect(await peer.ended).toMatchObject({ code: status.OK });
    expect(peer.answers.map(({ to }) => to)).toEqual(["requestHeaders", "requestBody"]);
  });

  it("carries a response after its request", async () => {
    const peer = new Peer().say(post(), body(prompt));
    await peer.heard(2);
    peer.say({ responseHeaders: {} }, responseBody("abc", true));
    await peer.heard(4);
    peer.call.end();
    await peer.ended;
    expect(peer.answers.at(-1)).toEqual({ to: "responseBody", body: "abc", endOfStream: true });
  });

  it("is ended after a refusal", async () => {
    const peer = new Peer().say(post(), body("{"));
    expect(await peer.ended).toMatchObject({ code: status.OK });
    expect(peer.answers).toMatchObject([{ to: "immediateResponse", status: 400 }]);
  });

  it("that is cancelled lands its request", async () => {
    const peer = new Peer().say(post(), body(prompt));
    await peer.heard(2);
    expect(events.running).toBe(1);
    peer.call.cancel();
    await expect.poll(() => events.running).toBe(0);
    await expect.poll(() => service.openStreams()).toBe(0);
  });

  it("with a message of 4 MiB is answered", async () => {
    const long = JSON.stringify({ model: "m", prompt: "x".repeat(4 * 2 ** 20) });
    const peer = new Peer().say(post(), body(long));
    await peer.heard(2);
    peer.call.end();
    await peer.ended;
    const text = peer.answers.slice(1).map(({ body: chunk }) => chunk);
    expect(text.join("")).toBe(long);
  });

  it.each([
    ["bytes that are no message", Buffer.from([0xff]), status.INTERNAL],
    ["a message that is too long", Buffer.alloc(6_000_000), status.RESOURCE_EXHAUSTED],
  ])("of %s ends with its status", async (_, bytes, code) => {
    const peer = new Peer();
    peer.call.write(bytes);
    expect(await peer.ended).toMatchObject({ code });
    expect(events.reported.splice(0)).toHaveLength(1);
  });
});

it("other methods are left to the gRPC library", async () => {
  const code = await new Promise((resolve) => {
    client.makeUnaryRequest("/other.Service/Method", identity, identity, Buffer.alloc(0), (error) =>
      resolve(error?.code),
    );
  });
  expect(code).toBe(status.UNIMPLEMENTED);
});
