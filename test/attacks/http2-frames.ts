import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { frames as grpcFrames } from "../../runtime/manager/grpc/grpc-frames.ts";
import { healthPaths } from "../../runtime/manager/health/health-service.ts";
import { frame, headerBlock, preface } from "../../testing/ext-proc/http2-connection.ts";
import { method } from "./proxy-streams.ts";
import type { Attack, Stage } from "./stage.ts";

/** Attacks with connections and HTTP/2 frames (RFC 9113) by a client that reaches the picker's ports. */

const type = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  window: 8,
  continuation: 9,
  unknown: 0xf0,
};

/** RFC 9113 8.3: names that begin with a colon come first. */
const fields = Object.entries({ ":scheme": "http", ":authority": "picker", ...method });
const blockOf = (path: string) =>
  headerBlock(fields.map(([name, value]) => [name, name === ":path" ? path : value]));
const block = blockOf(method[":path"]);
const endHeaders = 4;
const openStream = (id: number) => frame(type.headers, endHeaders, id, block);

/** Id of a client's stream, by its position. */
const streamId = (at: number) => 1 + 2 * at;

/** A complete request to the health service, which leaves the stream open. */
function healthCall(path: string, at: number): Buffer {
  const message = grpcFrames([Buffer.alloc(0)]);
  return Buffer.concat([
    frame(type.headers, endHeaders, streamId(at), blockOf(path)),
    frame(type.data, 0, streamId(at), message),
  ]);
}

const many = (bytes: Buffer, count: number) => Buffer.alloc(bytes.length * count, bytes);

/** First bytes of a connection. */
export const greeting = Buffer.concat([preface, frame(type.settings, 0, 0, Buffer.alloc(0))]);

/** Opens `count` streams that send nothing, from the stream at position `from` on. */
export const idleStreams = (from: number, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => openStream(streamId(from + at))));

/** A connection that reads what comes, and drops it. */
function dial(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  socket.write(greeting);
  return socket;
}

/** Writes `bytes(n)` repeatedly, as fast as the socket accepts them. Dials again when the connection ends. */
async function flood(
  stage: Stage,
  signal: AbortSignal,
  bytes: (at: number) => Buffer,
  { begins = openStream(1), most = Number.POSITIVE_INFINITY, reads = true }: Flood = {},
): Promise<string> {
  let ended = 0;
  let written = 0;
  while (!signal.aborted && stage.ended() === undefined) {
    const socket = dial(stage.ports.grpc);
    if (!reads) socket.pause();
    socket.write(begins);
    for (let at = 0; at < most && !socket.destroyed && !signal.aborted; at += 1) {
      const piece = bytes(at);
      written += piece.length;
      if (!socket.write(piece)) await drained(socket, signal);
      await sleep(0);
    }
    if (socket.destroyed) ended += 1;
    socket.destroy();
  }
  return `${(written / 2 ** 20).toFixed(0)} MiB, ${ended} connections ended`;
}

interface Flood {
  /** Written first. Default: a stream is opened. */
  readonly begins?: Buffer;
  /** Pieces of one connection. */
  readonly most?: number;
  /** Whether the picker's answers are read. Default true. */
  readonly reads?: boolean;
}

function drained(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ["drain", "close"]) socket.off(event, done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    for (const event of ["drain", "close"]) socket.on(event, done);
    signal.addEventListener("abort", done);
  });
}

const header = (name: string, value: string) => headerBlock([[name, value]]);

/** An entry of 4,000 bytes in HPACK's dynamic table, then 12,000 references to it of one byte each. */
function hpackBomb(): Buffer {
  const length = Buffer.from([0x7f, ...[0xa1, 0x1e]]);
  const entry = Buffer.concat([
    Buffer.from([0x40, 1]),
    Buffer.from("x"),
    length,
    Buffer.alloc(4_000, "b"),
  ]);
  return Buffer.concat([block, entry, Buffer.alloc(12_000, 0xbe)]);
}

const nothing: Buffer = Buffer.alloc(0);

interface Connected {
  readonly port?: number;
  readonly address?: string;
  /** Sent over and over, a byte per 50 ms. */
  readonly drip?: Buffer;
}

/** Opens connections; each sends `first` at the same time, and then `drip`. */
async function connections(
  stage: Stage,
  signal: AbortSignal,
  count: number,
  first: Buffer,
  { port = stage.ports.grpc, address = "127.0.0.9", drip = nothing }: Connected = {},
): Promise<string> {
  const sockets: Socket[] = [];
  let ended = 0;
  for (let at = 0; at < count && !signal.aborted; at += 1) {
    const socket = connect({ port, host: "127.0.0.1", localAddress: address });
    socket.on("error", () => {});
    socket.on("close", () => {
      ended += 1;
    });
    socket.resume();
    sockets.push(socket);
    if (at % 200 === 199) await sleep(10);
  }
  await sleep(300);
  if (first.length > 0) for (const socket of sockets) socket.write(first);
  for (let at = 0; !signal.aborted && stage.ended() === undefined; at += 1) {
    await sleep(50);
    const byte = drip.subarray(at % drip.length, (at % drip.length) + 1);
    if (byte.length > 0) for (const socket of sockets) socket.write(byte);
  }
  const told = `${sockets.length} connections, ${ended} ended`;
  for (const socket of sockets) socket.destroy();
  return told;
}

export const frameAttacks: readonly Attack[] = [
  {
    finding: "H1",
    title: "pings whose answers are not read",
    run: (stage, signal) => {
      const pings = many(frame(type.ping, 0, 0, Buffer.alloc(8)), 4_000);
      return flood(stage, signal, () => pings, { reads: false });
    },
  },
  {
    finding: "H1+",
    title: "pings",
    run: (stage, signal) => {
      const pings = many(frame(type.ping, 0, 0, Buffer.alloc(8)), 4_000);
      return flood(stage, signal, () => pings);
    },
  },
  {
    finding: "H1+",
    title: "settings",
    run: (stage, signal) => {
      const value = Buffer.from([0, 4, 0, 0, 255, 255]);
      const settings = many(frame(type.settings, 0, 0, Buffer.concat([value, value])), 4_000);
      return flood(stage, signal, () => settings);
    },
  },
  {
    finding: "H1+",
    title: "windows that grow by a byte",
    run: (stage, signal) => {
      const updates = many(frame(type.window, 0, 0, Buffer.from([0, 0, 0, 1])), 4_000);
      return flood(stage, signal, () => updates);
    },
  },
  {
    finding: "H1+",
    title: "empty DATA frames",
    run: (stage, signal) => {
      const data = many(frame(type.data, 0, 1, Buffer.alloc(0)), 4_000);
      return flood(stage, signal, () => data);
    },
  },
  {
    finding: "H1+",
    title: "DATA frames of one byte, padded with 255",
    run: (stage, signal) => {
      const payload = Buffer.alloc(257);
      payload[0] = 255;
      const data = many(frame(type.data, 8, 1, payload), 400);
      return flood(stage, signal, () => data);
    },
  },
  {
    finding: "H1+",
    title: "frames of an unknown type, and of priority",
    run: (stage, signal) => {
      const frames = many(
        Buffer.concat([
          frame(type.unknown, 0, 0, Buffer.alloc(0)),
          frame(type.priority, 0, 1, Buffer.from([0, 0, 0, 3, 1])),
        ]),
        2_000,
      );
      return flood(stage, signal, () => frames);
    },
  },
  {
    finding: "H1+",
    title:
      "frames of reset for streams that were never opened, and of DATA for those that are gone",
    run: (stage, signal) => {
      const begins = Buffer.concat([openStream(1), frame(type.reset, 0, 1, Buffer.alloc(4))]);
      const data = many(frame(type.data, 0, 1, Buffer.alloc(16)), 2_000);
      return flood(stage, signal, () => data, { begins });
    },
  },
  {
    finding: "H2",
    title: "headers that go on and on",
    run: (stage, signal) => {
      const more = many(
        frame(type.continuation, 0, 1, many(header("x-h", "v".repeat(100)), 100)),
        20,
      );
      return flood(stage, signal, () => more, { begins: frame(type.headers, 0, 1, block) });
    },
  },
  {
    finding: "H2+",
    title: "streams with a thousand headers each",
    run: (stage, signal) => {
      const headers = Buffer.concat([block, many(header("x-h", "v"), 1_000)]);
      const streams = (at: number) => frame(type.headers, endHeaders, streamId(at), headers);
      return flood(stage, signal, streams, { begins: Buffer.alloc(0) });
    },
  },
  {
    finding: "H2+",
    title: "streams whose headers say 4 KB 12,000 times, in 12 KB",
    run: (stage, signal) => {
      const bomb = hpackBomb();
      const streams = (at: number) => frame(type.headers, endHeaders, streamId(at), bomb);
      return flood(stage, signal, streams, { begins: Buffer.alloc(0) });
    },
  },
  {
    finding: "H2+",
    title: "streams of paths that are not served",
    run: (stage, signal) => {
      const unknown = headerBlock([
        [":method", "POST"],
        [":scheme", "http"],
        [":path", "/nobody/Serves"],
        [":authority", "picker"],
        ["content-type", "application/grpc"],
      ]);
      const streams = (at: number) => frame(type.headers, endHeaders | 1, streamId(at), unknown);
      return flood(
        stage,
        signal,
        (at) => Buffer.concat(Array.from({ length: 50 }, (_, n) => streams(50 * at + n))),
        { begins: Buffer.alloc(0) },
      );
    },
  },
  {
    finding: "H3",
    title: "4,000 connections that say nothing",
    run: (stage, signal) => connections(stage, signal, 4_000, Buffer.alloc(0)),
  },
  {
    finding: "H3+",
    title: "4,000 connections with a stream each",
    run: (stage, signal) => {
      const first = Buffer.concat([greeting, openStream(1)]);
      return connections(stage, signal, 4_000, first);
    },
  },
  {
    finding: "H4",
    title: "1,000 connections with 70 KB of settings, then a byte at a time, and no request",
    run: (stage, signal) => {
      const settings = frame(type.settings, 0, 0, Buffer.alloc(0));
      const first = Buffer.concat([greeting, many(settings, 7_800)]);
      return connections(stage, signal, 1_000, first, { drip: settings });
    },
  },
  {
    finding: "H4+",
    title: "1,000 connections whose first bytes arrive one at a time",
    run: (stage, signal) => connections(stage, signal, 1_000, Buffer.alloc(0), { drip: greeting }),
  },
  {
    finding: "S5+",
    title: "32,000 watches of the health service on 2,000 connections from 32 addresses",
    heavy: true,
    run: async (stage, signal) => {
      const watches = Array.from({ length: 16 }, (_, at) => healthCall(healthPaths.watch, at));
      const first = Buffer.concat([greeting, ...watches]);
      const port = stage.ports.health;
      const outcomes = await Promise.all(
        Array.from({ length: 32 }, (_, at) =>
          connections(stage, signal, 64, first, { port, address: `127.0.1.${1 + at}` }),
        ),
      );
      return [...new Set(outcomes)].join("; ");
    },
  },
  {
    finding: "S5+",
    title:
      "calls to the health service that are reset without an error by the bytes that open them",
    run: (stage, signal) => {
      const calls = Object.values(healthPaths).map((path, at) => {
        const reset = frame(type.reset, 0, streamId(at), Buffer.alloc(4));
        return Buffer.concat([healthCall(path, at), reset]);
      });
      const first = Buffer.concat([greeting, ...calls]);
      return connections(stage, signal, 10, first, { port: stage.ports.health });
    },
  },
  {
    finding: "H3+",
    title: "connections that come and go",
    run: (stage, signal) => flood(stage, signal, () => Buffer.alloc(0), { most: 1 }),
  },
  {
    finding: "H3+",
    title: "connections that are not HTTP/2",
    run: (stage, signal) =>
      connections(stage, signal, 500, Buffer.alloc(100_000, "GET / HTTP/1.1\r\nx: y\r\n")),
  },
];
