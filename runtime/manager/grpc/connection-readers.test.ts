import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { connect, createServer as createTcpServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { frame, headerBlock, preface } from "../../../testing/ext-proc/http2-connection.ts";
import { ConnectionReaders, type UndecidedLimits } from "./connection-readers.ts";

/** Clients that send their first request with the first bytes of a connection, as Envoy does, or later, as gRPC's do. */

/** The reader of each connection: Node.js itself, or this program. */
let readers: Array<"node" | "program"> = [];
beforeEach(() => {
  readers = [];
});

const http2 = createServer({ settings: { maxConcurrentStreams: 100 } });
http2.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  const authority = Buffer.from(headers[":authority"] ?? "none");
  stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, authority.length]), authority]));
  stream.resume();
});
http2.on("sessionError", () => {});

/** Starts a server of connections with `limits`. Returns its port, and what ends it. */
async function serve(limits?: Partial<UndecidedLimits>) {
  const connections = new ConnectionReaders(
    (connection: Duplex) => {
      readers.push(connection instanceof Socket ? "node" : "program");
      http2.emit("connection", connection);
    },
    { maxConcurrentStreams: 100 },
    limits,
  );
  const server = createTcpServer((socket) => connections.take(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      connections.abort();
    },
  };
}

let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

const type = { data: 0, headers: 1, priority: 2, settings: 4, ping: 6, window: 8, continuation: 9 };
const flag = { ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 };

const blockOf = (authority: string) =>
  headerBlock([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", "/a/B"],
    [":authority", authority],
  ]);
const last = flag.endHeaders | flag.endStream;
const request = (authority: string, stream = 1) =>
  frame(type.headers, last, stream, blockOf(authority));

const settings = frame(type.settings, 0, 0, Buffer.alloc(0));
const priority = frame(type.priority, 0, 3, Buffer.from([0, 0, 0, 1, 1]));
const ping = frame(type.ping, 0, 0, Buffer.from("whatever"));
const greeting = Buffer.concat([preface, settings]);
const padded = (authority: string) => {
  const payload = [Buffer.from([7]), Buffer.alloc(5), blockOf(authority), Buffer.alloc(7)];
  return frame(type.headers, last | flag.padded | flag.priority, 1, Buffer.concat(payload));
};

const valid = "chat-epp.default:9002";
const istios = "outbound|9002||chat-epp.default.svc.cluster.local";
const corrected = istios.replaceAll("|", "+");

/** A client that sends frames, acknowledges settings between them, and reads the frames that arrive. */
class FrameClient {
  readonly socket: Socket;
  readonly received: Array<{ type: number; flags: number; stream: number; payload: Buffer }> = [];
  #rest = Buffer.alloc(0);
  #due = 0;

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.setNoDelay(true);
    this.socket.on("error", () => {});
    this.socket.on("data", (bytes) => {
      this.#rest = Buffer.concat([this.#rest, bytes]);
      for (;;) {
        const end = this.#rest.length < 9 ? Number.NaN : 9 + this.#rest.readUIntBE(0, 3);
        if (!(end <= this.#rest.length)) return;
        const [kind = 0, flags = 0] = this.#rest.subarray(3, 5);
        const payload = this.#rest.subarray(9, end);
        this.received.push({ type: kind, flags, stream: this.#rest.readUInt32BE(5), payload });
        if (kind === type.settings && (flags & flag.ack) === 0) this.#due += 1;
        this.#rest = this.#rest.subarray(end);
      }
    });
  }

  async send(bytes: Buffer, pieces: readonly number[] = []): Promise<void> {
    let at = 0;
    for (const size of pieces) {
      if (at >= bytes.length) break;
      this.socket.write(bytes.subarray(at, at + size));
      at += size;
      await sleep(1);
    }
    if (at < bytes.length) this.socket.write(bytes.subarray(at));
  }

  /** Acknowledges the settings received so far. */
  acknowledge(): void {
    for (; this.#due > 0; this.#due -= 1)
      this.socket.write(frame(type.settings, flag.ack, 0, Buffer.alloc(0)));
  }

  async until(done: () => boolean): Promise<void> {
    const deadline = Date.now() + 3_000;
    while (!done() && !this.socket.destroyed && Date.now() < deadline) await sleep(1);
  }

  /** Waits for settings of the server and acknowledges them. */
  async meet(): Promise<void> {
    await this.until(() => this.#due > 0);
    this.acknowledge();
  }

  /** Returns the authority that the server read of the request on a stream. */
  async answer(stream = 1): Promise<string> {
    const frames = () => this.received.filter((each) => each.stream === stream);
    await this.until(() => {
      this.acknowledge();
      return frames().some(({ flags, type: kind }) => kind < 2 && (flags & flag.endStream) !== 0);
    });
    const data = frames().filter((each) => each.type === type.data);
    return Buffer.concat(data.map(({ payload }) => payload))
      .subarray(5)
      .toString();
  }

  acknowledgements(): number {
    return this.received.filter(
      (each) => each.type === type.settings && (each.flags & flag.ack) !== 0,
    ).length;
  }
}

async function withClient(use: (client: FrameClient) => Promise<void>, port = served.port) {
  const client = new FrameClient(port);
  try {
    await use(client);
  } finally {
    client.socket.destroy();
  }
}

it("Node.js reads a connection if its first bytes contain a request with a valid authority", async () => {
  await withClient(async (client) => {
    await client.send(Buffer.concat([greeting, request(valid)]));
    expect(await client.answer()).toBe(valid);
    expect(readers).toEqual(["node"]);
  });
});

it("leaves a connection to Node.js whose client waits for settings before its first request", async () => {
  await withClient(async (client) => {
    await client.send(greeting);
    await client.meet();
    await sleep(50);
    expect(readers).toEqual([]);
    await client.send(request(valid));
    expect(await client.answer()).toBe(valid);
    expect(readers).toEqual(["node"]);
    // The server has read one acknowledgement for each of its SETTINGS frames, and sent one.
    await client.send(request(valid, 3));
    expect(await client.answer(3)).toBe(valid);
    expect(client.acknowledgements()).toBe(1);
  });
});

it("serves gRPC's own client, and leaves its connection to Node.js", async () => {
  const client = new Client(`127.0.0.1:${served.port}`, credentials.createInsecure());
  try {
    for (let at = 0; at < 3; at++) {
      const answer = new Promise<unknown>((resolve, reject) =>
        client.makeUnaryRequest(
          "/a/B",
          (each: Buffer) => each,
          (each: Buffer) => each.toString(),
          Buffer.from("x"),
          (error, value) => (error === null ? resolve(value) : reject(error)),
        ),
      );
      expect(await answer).toBe(`127.0.0.1:${served.port}`);
    }
    expect(readers).toEqual(["node"]);
  } finally {
    client.close();
  }
});

it("waits for the acknowledgement of a client that sends its request before it", async () => {
  await withClient(async (client) => {
    await client.send(greeting);
    await client.until(() => client.received.length > 0);
    await client.send(request(valid));
    await sleep(20);
    expect(readers).toEqual([]);
    expect(await client.answer()).toBe(valid);
    expect(readers).toEqual(["node"]);
    await client.send(request(valid, 3));
    expect(await client.answer(3)).toBe(valid);
  });
});

it("corrects the authority of a client that waits for settings before its first request", async () => {
  await withClient(async (client) => {
    await client.send(greeting);
    await client.meet();
    await client.send(request(istios));
    expect(await client.answer()).toBe(corrected);
    expect(readers).toEqual(["program"]);
    await client.send(request(istios, 3));
    expect(await client.answer(3)).toBe(corrected);
    expect(client.acknowledgements()).toBe(1);
  });
});

it("decides after the whole header block, in any pieces, with padding, and after other frames", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.boolean(),
      fc.array(fc.constantFrom(priority, ping, settings), { maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 12 }),
      async (isIstios, isPadded, before, pieces) => {
        readers = [];
        const authority = isIstios ? istios : valid;
        await withClient(async (client) => {
          const head = isPadded ? padded(authority) : request(authority);
          for (const each of [greeting, ...before, head]) {
            await client.send(each, pieces);
            client.acknowledge();
          }
          expect(await client.answer()).toBe(isIstios ? corrected : valid);
          expect(readers).toEqual([isIstios ? "program" : "node"]);
          await client.send(request(authority, 5));
          expect(await client.answer(5)).toBe(isIstios ? corrected : valid);
          expect(client.acknowledgements()).toBe(
            1 + before.filter((each) => each === settings).length,
          );
        });
      },
    ),
    { numRuns: 60 },
  );
});

it("reads connections itself whose first header block it cannot judge", async () => {
  const block = blockOf(valid);
  const unjudged = {
    "continues in another frame": Buffer.concat([
      frame(type.headers, flag.endStream, 1, block.subarray(0, 4)),
      frame(type.continuation, flag.endHeaders, 1, block.subarray(4)),
    ]),
    "has no authority": frame(type.headers, last, 1, block.subarray(0, -valid.length - 2)),
    "ends within a field": frame(type.headers, last, 1, block.subarray(0, -3)),
    "spells the name": frame(
      type.headers,
      last,
      1,
      Buffer.concat([
        block.subarray(0, -valid.length - 2),
        Buffer.from([0, 10]),
        Buffer.from(":authority"),
        block.subarray(-valid.length - 1),
      ]),
    ),
    "has more padding than bytes": frame(
      type.headers,
      last | flag.padded,
      1,
      Buffer.concat([Buffer.from([255]), block]),
    ),
  };
  for (const [name, bytes] of Object.entries(unjudged)) {
    readers = [];
    await withClient(async (client) => {
      await client.send(greeting);
      await client.meet();
      await client.send(bytes);
      await client.until(() => readers.length > 0);
      expect([name, ...readers]).toEqual([name, "program"]);
    });
  }
});

it("reads connections itself that do not begin as HTTP/2, at once", async () => {
  await withClient(async (client) => {
    await client.send(Buffer.from("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
    await client.until(() => readers.length > 0);
    expect(readers).toEqual(["program"]);
  });
});

it("answers the pings of a client that waits for settings", async () => {
  await withClient(async (client) => {
    await client.send(greeting);
    await client.meet();
    await client.send(Buffer.concat([ping, ping]), [20]);
    const answers = () => client.received.filter((each) => each.type === type.ping);
    await client.until(() => answers().length === 2);
    expect(answers()).toEqual(
      Array(2).fill({ type: type.ping, flags: flag.ack, stream: 0, payload: ping.subarray(9) }),
    );
    expect(readers).toEqual([]);
    await client.send(request(valid));
    expect(await client.answer()).toBe(valid);
    expect(answers()).toHaveLength(2);
    expect(readers).toEqual(["node"]);
  });
});

it("answers a ping that arrives with the first bytes, after its settings", async () => {
  await withClient(async (client) => {
    await client.send(Buffer.concat([greeting, ping]));
    await client.until(() => client.received.length > 1);
    expect(client.received.map((each) => [each.type, each.flags])).toEqual([
      [type.settings, 0],
      [type.ping, flag.ack],
    ]);
    client.acknowledge();
    await client.send(request(valid));
    expect(await client.answer()).toBe(valid);
    expect(client.received.filter((each) => each.type === type.ping)).toHaveLength(1);
    expect(readers).toEqual(["node"]);
  });
});

it("after a while, starts a session for a client that has sent no request", async () => {
  const other = await serve({ time: 100 });
  await withClient(async (client) => {
    await client.send(greeting);
    await client.meet();
    await client.until(() => readers.length > 0);
    expect(readers).toEqual(["program"]);
    await client.send(ping);
    await client.until(() => client.received.some((each) => each.type === type.ping));
    await client.send(request(valid));
    expect(await client.answer()).toBe(valid);
    expect(client.acknowledgements()).toBe(1);
  }, other.port);
  other.close();
});

it("hands a connection to the program beyond a limit on bytes or reads", async () => {
  const settingsOf = (count: number) => Buffer.alloc(9 * count, settings);
  const other = await serve({ bytesOfConnection: 1_000, bytes: 1_500, reads: 20 });
  await withClient(async (client) => {
    await client.send(Buffer.concat([greeting, settingsOf(120)]));
    await client.until(() => readers.length > 0);
    expect(readers).toEqual(["program"]);
  }, other.port);
  await withClient(async (first) => {
    await first.send(Buffer.concat([greeting, settingsOf(90)]));
    await first.meet();
    await sleep(20);
    expect(readers).toHaveLength(1);
    await withClient(async (second) => {
      await second.send(Buffer.concat([greeting, settingsOf(90)]));
      await second.until(() => readers.length > 1);
      expect(readers).toHaveLength(2);
    }, other.port);
  }, other.port);
  await sleep(20);
  await withClient(async (client) => {
    await client.send(greeting);
    await client.send(settingsOf(90), Array(40).fill(1));
    expect(readers).toHaveLength(3);
  }, other.port);
  other.close();
});

it("ends connections that send nothing, and those whose client leaves before a request", async () => {
  const other = await serve({ time: 50 });
  await withClient(async (client) => {
    await client.until(() => false);
    expect(client.socket.destroyed).toBe(true);
  }, other.port);
  await withClient(async (client) => {
    client.socket.end(greeting);
    await once(client.socket, "close");
    expect(readers).toEqual([]);
  }, served.port);
  other.close();
});
