import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientDuplexStream, credentials, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headerBlock, openHttp2 } from "../../../testing/ext-proc/http2-connection.ts";
import { FrameReader, frames } from "../../manager/grpc/grpc-frames.ts";
import { GrpcServer } from "../../manager/grpc/grpc-server.ts";
import { objective, pod } from "../datastore/objects.fixture.ts";
import {
  type Answer,
  announcing,
  body,
  newEvents,
  post,
  responseBody,
  standInPicker,
  toAnswer,
  toBytes,
} from "./conversation.fixture.ts";
import {
  type ExtProcService,
  envoyHeader,
  extProcPath,
  extProcService,
} from "./ext-proc-service.ts";
import { GrowingBody } from "./growing-body.ts";

const prompt = '{"model":"m","prompt":"hello"}';
const identity = (bytes: Buffer): Buffer => bytes;
const events = newEvents();
let server: GrpcServer;
let service: ExtProcService;
let client: Client;
let port: number;

beforeAll(async () => {
  service = extProcService(standInPicker({}, events), (error) => events.reported.push(error), {
    maxReceiveBytes: 5_000_000,
  });
  server = new GrpcServer({ [extProcPath]: service.serve });
  port = await server.listen(0, "127.0.0.1");
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
});
afterAll(() => {
  client.close();
  server.abort();
});

/** A stream that the gRPC library opens. */
class Peer {
  readonly call: ClientDuplexStream<Buffer, Buffer>;
  readonly answers: Answer[] = [];
  readonly ended: Promise<{ code: number; details: string }>;
  #waiting: Array<{ count: number; resolve: () => void }> = [];

  constructor(by = client) {
    this.call = by.makeBidiStreamRequest(extProcPath, identity, identity);
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

it("another replica of the picker continues a response at its pod, over gRPC", async () => {
  const replicas = await Promise.all(
    [
      [pod("b", { ip: "10.0.0.2" }), pod("a")],
      [pod("a"), pod("b", { ip: "10.0.0.2" })],
    ].map(async (pods) => {
      const picker = standInPicker({ objects: { pods } }, newEvents());
      const { serve } = extProcService(picker, () => {}, { maxReceiveBytes: 5_000_000 });
      const own = new GrpcServer({ [extProcPath]: serve });
      const at = await own.listen(0, "127.0.0.1");
      return { own, client: new Client(`127.0.0.1:${at}`, credentials.createInsecure()) };
    }),
  );
  const [one, other] = replicas as [(typeof replicas)[0], (typeof replicas)[0]];
  const ask = async (by: Client, more: object) => {
    const sent = JSON.stringify({ model: "m", input: "hello", ...more });
    const peer = new Peer(by).say(post({ ":path": "/v1/responses" }), body(sent));
    await peer.heard(2);
    peer.call.end();
    const [head, forwarded] = peer.answers;
    return {
      to: head?.set?.["x-gateway-destination-endpoint"],
      id: JSON.parse(forwarded?.body ?? "{}").request_id,
    };
  };
  const first = await ask(one.client, {});
  expect(first.to).toBe("10.0.0.2:8000");
  expect((await ask(other.client, {})).to).toBe("10.0.0.1:8000");
  const continued = await ask(other.client, { previous_response_id: first.id });
  expect(continued.to).toBe("10.0.0.2:8000");
  for (const { own, client: each } of replicas) {
    each.close();
    own.abort();
  }
});

describe("a stream of a gRPC client", () => {
  it("is answered, and ends with OK when the client ends it", async () => {
    const peer = new Peer().say(post(), body(prompt));
    await peer.heard(2);
    expect(service.openStreams()).toBe(1);
    peer.call.end();
    expect(await peer.ended).toMatchObject({ code: status.OK });
    expect(events.running).toBe(0);
  });

  it.each([
    ["/v1/embeddings", { model: "m", messages: [{ role: "user", content: "a" }] }],
    ["/v1/completions", { model: "m", prompt: "", prompt_embeds: "UEsDBAAACAg" }],
  ])("forwards a body in an engine's format unchanged at %s", async (path, sent) => {
    const text = JSON.stringify(sent);
    const peer = new Peer().say(post({ ":path": path }), body(text));
    await peer.heard(2);
    expect(peer.answers.map(({ body: forwarded = "" }) => forwarded).join("")).toBe(text);
    peer.call.end();
    await peer.ended;
  });

  it("answers a compressed body with 415", async () => {
    const peer = new Peer().say(post({ "content-encoding": "gzip" }));
    await peer.heard(1);
    expect(peer.answers).toMatchObject([{ to: "immediateResponse", status: 415 }]);
    peer.call.end();
    await peer.ended;
  });

  it("is answered if the client half-closes it after the body", async () => {
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

  it("ends with OK after a refusal", async () => {
    const peer = new Peer().say(post(), body("{"));
    expect(await peer.ended).toMatchObject({ code: status.OK });
    expect(peer.answers).toMatchObject([{ to: "immediateResponse", status: 400 }]);
  });

  it("completes its request when it is cancelled", async () => {
    const peer = new Peer().say(post(), body(prompt));
    await peer.heard(2);
    expect(events.running).toBe(1);
    peer.call.cancel();
    await expect.poll(() => events.running).toBe(0);
    await expect.poll(() => service.openStreams()).toBe(0);
  });

  it("is answered if it has a message of 4 MiB", async () => {
    const long = JSON.stringify({ model: "m", prompt: "x".repeat(4 * 2 ** 20) });
    const peer = new Peer().say(post(), body(long));
    await peer.heard(2);
    peer.call.end();
    await peer.ended;
    const text = peer.answers.slice(1).map(({ body: chunk }) => chunk);
    expect(text.join("")).toBe(long);
  });

  it.each([
    ["bytes that are not a message", Buffer.from([0xff]), status.INTERNAL],
    ["a message that is too long", Buffer.alloc(6_000_000), status.RESOURCE_EXHAUSTED],
  ])("ends with the matching status if it has %s", async (_, bytes, code) => {
    const peer = new Peer();
    peer.call.write(bytes);
    expect(await peer.ended).toMatchObject({ code });
    expect(events.reported.splice(0)).toHaveLength(1);
  });
});

/** A body of 2 MiB in which every byte is parsed separately. */
const slow = `{"model":"m","prompt":[${"[0],".repeat(2 ** 19)}[0]]}`;

describe("a stream with more work than its share of a turn", () => {
  it.each(["FULL_DUPLEX_STREAMED", "BUFFERED"])(
    "is answered in mode %s, half-closed or not",
    async (mode) => {
      const peers = [new Peer(), new Peer()];
      for (const peer of peers) peer.say({ ...post(), ...announcing(mode) }, body(slow));
      peers[0]?.call.end();
      await peers[1]?.heard(2);
      peers[1]?.call.end();
      for (const peer of peers) {
        expect(await peer.ended).toMatchObject({ code: status.OK });
        expect(peer.answers.map(({ status: refused }) => refused)).not.toContain(400);
        const chunks = peer.answers.flatMap(({ body: chunk }) => chunk ?? []);
        expect(chunks.join("")).toBe(mode === "BUFFERED" ? "" : slow);
        expect(peer.answers.length).toBeGreaterThan(1);
      }
    },
  );

  it("lets other streams be answered in the meantime", async () => {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const answered: string[] = [];
    const open = (name: string) => {
      const stream = session.request(method);
      stream.once("data", () => answered.push(name)).resume();
      return stream;
    };
    const first = open("slow");
    const request = frames([toBytes(post()), toBytes(body(slow))]);
    // When the ping is answered, only the last byte is missing.
    await new Promise((resolve) => first.write(request.subarray(0, -1), resolve));
    await new Promise((resolve) => session.ping(resolve));
    first.write(request.subarray(-1));
    open("quick").write(frames([toBytes(post()), toBytes(body(prompt))]));
    await expect.poll(() => answered).toEqual(["quick", "slow"]);
    session.destroy();
  });
});

const method = {
  ...{ ":method": "POST", ":path": extProcPath, "content-type": "application/grpc" },
  te: "trailers",
};

it("A5: messages and frames of one byte are joined into one request", async () => {
  const connection = await openHttp2("127.0.0.1", port);
  const answers: Answer[] = [];
  const reader = new FrameReader(-1);
  const stream = connection.open(
    headerBlock(Object.entries({ ":scheme": "http", ":authority": "picker", ...method })),
    {
      onData: (chunk) => reader.push(chunk, (message) => answers.push(toAnswer(message))),
      onEnd: () => {},
    },
  );
  const text = JSON.stringify({ model: "m", prompt: "x".repeat(3_000) });
  const pieces = [...text].map((letter, at) => toBytes(body(letter, at === text.length - 1)));
  const bytes = frames([toBytes(post()), ...pieces]);
  const half = bytes.length >> 1;
  // Sends half of it in frames of 1 byte, the rest in frames of 12 bytes.
  for (let at = 0; at < half; at += 1) stream.write(bytes.subarray(at, at + 1));
  for (let at = half; at < bytes.length; at += 12) stream.write(bytes.subarray(at, at + 12));
  await expect.poll(() => answers.length, { timeout: 10_000 }).toBe(2);
  expect(answers).toMatchObject([
    { to: "requestHeaders", set: { "x-gateway-destination-endpoint": "10.0.0.1:8000" } },
    { to: "requestBody", body: text, endOfStream: true },
  ]);
  connection.close();
});

describe("a stream that waits for its turn while bodies of default priority fill the budget", () => {
  const KiB = 1024;

  /** Sends a request in frames of 1 byte, so that its stream waits for a turn; returns the picker's answers. */
  async function answersTo(requestHeaders: Record<string, string>): Promise<Answer[]> {
    const picker = standInPicker(
      { bodies: { maxTotal: 2_048 * KiB }, objects: { objectives: [objective("critical", 10)] } },
      newEvents(),
    );
    for (let at = 0; at < 7; at += 1) {
      const waiting = new GrowingBody(picker.bodies, () => {}, true);
      waiting.append(Buffer.alloc(256 * KiB), true);
      waiting.keep();
    }
    const { serve } = extProcService(picker, () => {});
    const own = new GrpcServer({ [extProcPath]: serve });
    const at = await own.listen(0, "127.0.0.1");
    const connection = await openHttp2("127.0.0.1", at);
    const answers: Answer[] = [];
    const reader = new FrameReader(-1);
    const stream = connection.open(
      headerBlock(Object.entries({ ":scheme": "http", ":authority": "picker", ...method })),
      {
        onData: (chunk) => reader.push(chunk, (message) => answers.push(toAnswer(message))),
        onEnd: () => {},
      },
    );
    const [head, text] = [post(requestHeaders), body(prompt)].map((each) =>
      frames([toBytes(each)]),
    );
    stream.write(head as Buffer);
    for (const byte of text as Buffer) stream.write(Buffer.from([byte]));
    await expect.poll(() => answers.length, { timeout: 5_000 }).toBeGreaterThan(0);
    connection.close();
    own.abort();
    return answers;
  }

  it("evicts one of them if its request is critical", async () => {
    const answers = await answersTo({ "x-llm-d-inference-objective": "critical" });
    expect(answers.map(({ to }) => to)).toEqual(["requestHeaders", "requestBody"]);
  });

  it("is refused if its request has default priority", async () => {
    expect(await answersTo({})).toMatchObject([{ to: "immediateResponse", status: 503 }]);
  });
});

it("the picker keeps running if a proxy's connection ends while its streams wait for their turns", async () => {
  const work = frames([
    toBytes(post()),
    toBytes(body(prompt)),
    toBytes({ responseHeaders: {} }),
    ...Array.from({ length: 500 }, () => toBytes(responseBody("x".repeat(1_000), false))),
  ]);
  for (let delay = 0; delay < 20; delay += 1) {
    const session = connectHttp2(`http://127.0.0.1:${port}`).on("error", () => {});
    for (let at = 0; at < 20; at += 1) {
      const stream = session.request(method).on("error", () => {});
      stream.resume();
      stream.write(work);
    }
    await sleep(10 + delay * 5);
    session.destroy();
  }
  const peer = new Peer().say(post(), body(prompt));
  await peer.heard(2);
  peer.call.end();
});

it("the picker stops reading from a proxy that does not read, until the proxy reads again", async () => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  try {
    const stream = session.request(method);
    const chunk = "x".repeat(16_384);
    stream.write(
      frames([toBytes(post()), toBytes(body(prompt)), toBytes({ responseHeaders: {} })]),
    );
    // Much more than the windows and buffers of both sides hold.
    const chunks = 300;
    for (let at = 0; at < chunks; at += 1)
      stream.write(frames([toBytes(responseBody(chunk, false))]));
    let before = -1;
    const progress = () => {
      const made = before - stream.writableLength;
      before = stream.writableLength;
      return made;
    };
    await expect.poll(progress, { interval: 250 }).toBe(0);
    expect(stream.writableLength).toBeGreaterThan((chunks * chunk.length) / 2);
    let received = 0;
    stream.on("data", (bytes: Buffer) => {
      received += bytes.length;
    });
    await expect.poll(() => received).toBeGreaterThan(chunks * chunk.length);
  } finally {
    session.destroy();
  }
});

it("the end of a stream that the picker leaves is in one write with the answers, so that the proxy sends nothing more", async () => {
  const writes: string[][] = [];
  const relay = createServer((client) => {
    const upstream = connectTcp(port, "127.0.0.1");
    client.pipe(upstream);
    upstream.on("data", (bytes) => {
      writes.push(frameTypes(bytes));
      client.write(bytes);
    });
    for (const socket of [client, upstream]) socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  const session = connectHttp2(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`);
  try {
    for (const length of [10, 10, 40_000]) {
      writes.length = 0;
      const stream = session.request({ ...method, [envoyHeader]: "true" });
      stream.resume();
      const text = JSON.stringify({ model: "m", prompt: "x".repeat(length) });
      stream.write(frames([toBytes(post()), toBytes(body(text))]));
      await once(stream, "trailers");
      const last = writes.at(-1) ?? [];
      expect(last.slice(-2)).toEqual(["DATA", "HEADERS"]);
      stream.end();
    }
  } finally {
    session.destroy();
    relay.close();
  }
});

/** Types of the HTTP/2 frames that start in `bytes`. */
function frameTypes(bytes: Buffer): string[] {
  const types: string[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3))
    types.push(bytes[at + 3] === 0 ? "DATA" : bytes[at + 3] === 1 ? "HEADERS" : "other");
  return types;
}
