import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { toBytes } from "../../runtime/epp/server/conversation.fixture.ts";
import { frames } from "../../runtime/manager/grpc/grpc-frames.ts";
import { MiB } from "./bodies.ts";
import {
  connection,
  goesOn,
  open,
  requestBody,
  requestHeaders,
  StreamEnds,
} from "./proxy-streams.ts";
import type { Attack, Stage } from "./stage.ts";

/** Attacks with messages (gRPC frames and the protobuf in them) by a client that reaches the picker's ports. */

/** The prefix of a message, which announces its length. */
function prefix(length: number, isCompressed = false): Buffer {
  const bytes = Buffer.alloc(5);
  bytes[0] = isCompressed ? 1 : 0;
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

/** A field of protobuf that holds bytes. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

const repeated = (piece: Buffer, bytes: number) =>
  Buffer.alloc(Math.floor(bytes / piece.length) * piece.length, piece);

const oneRequest = [requestHeaders(), requestBody('{"model":"real","prompt":"hi"}')].map(toBytes);

/** Holds streams open, with `perConnection` streams per connection. Each stream writes its input and does not end. */
async function held(
  stage: Stage,
  signal: AbortSignal,
  { streams, perConnection = 50, write }: Held,
): Promise<string> {
  const ends = new StreamEnds();
  const sessions: ClientHttp2Session[] = [];
  for (let at = 0; at < streams; at += 1) {
    if (at % perConnection === 0) sessions.push(connection(stage.ports.grpc));
    const session = sessions.at(-1) as ClientHttp2Session;
    if (!session.destroyed) write(ends.count(open(session)), at);
    if (at % 500 === 499) await sleep(20);
  }
  while (!signal.aborted && stage.ended() === undefined) await sleep(50);
  const told = String(ends);
  for (const session of sessions) session.destroy();
  return told;
}

interface Held {
  readonly streams: number;
  readonly perConnection?: number;
  write(stream: ClientHttp2Stream, at: number): void;
}

/** One stream after the other, a few at a time, each with the same bytes. */
async function oneAfterTheOther(
  stage: Stage,
  signal: AbortSignal,
  bytes: (at: number) => Buffer,
  inFlight = 2,
): Promise<string> {
  const ends = new StreamEnds();
  let at = 0;
  const worker = async () => {
    let session = connection(stage.ports.grpc);
    while (!signal.aborted && stage.ended() === undefined) {
      if (!goesOn(session, stage, signal)) session = connection(stage.ports.grpc);
      const stream = ends.count(open(session));
      const closed = new Promise((resolve) => stream.once("close", resolve));
      stream.end(bytes(at));
      at += 1;
      await Promise.race([closed, sleep(2_000, undefined, { signal }).catch(() => {})]);
      if (!stream.destroyed) stream.close();
    }
    session.destroy();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return String(ends);
}

const someOfIt = Buffer.alloc(15 * MiB);
/** Headers, then a prefix that announces 16 MiB, followed by only 15 MiB. */
const unfinished = Buffer.concat([prefix(16 * MiB), someOfIt]);

const withMetadata = (metadata: Buffer, content: Buffer) =>
  frames([Buffer.concat([field(8, metadata), content])]);

/** `filter_metadata` with one name, whose Struct has these bytes. */
const metadataOf = (name: string, struct: Buffer) =>
  field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, struct)]));

const notGrpc: readonly Buffer[] = [
  Buffer.concat([prefix(4, true), Buffer.alloc(4)]),
  Buffer.concat([prefix(2 ** 32 - 1), Buffer.alloc(64)]),
  prefix(10).subarray(0, 3),
  Buffer.from("GET / HTTP/1.1\r\nhost: picker\r\n\r\n"),
  frames([Buffer.alloc(64, 0xff)]),
  frames([Buffer.from([0x12, 0x7f, 0x01])]),
  frames([Buffer.from([0x07])]),
  frames([Buffer.alloc(0), Buffer.alloc(0)]),
  frames([toBytes(requestBody("{}"))]),
  frames([toBytes({ responseHeaders: { headers: { headers: [] }, endOfStream: true } })]),
  frames([toBytes({ responseBody: { body: Buffer.from("x"), endOfStream: true } })]),
  frames([toBytes({ requestTrailers: {} }), ...oneRequest]),
  frames([...oneRequest, ...oneRequest]),
  frames([...oneRequest, toBytes({ responseTrailers: {} }), toBytes({ responseTrailers: {} })]),
];

export const messageAttacks: readonly Attack[] = [
  {
    finding: "M1",
    title: "200 streams whose first message of 16 MiB does not end",
    run: (stage, signal) =>
      held(stage, signal, { streams: 200, write: (stream) => stream.write(unfinished) }),
  },
  {
    finding: "M1+",
    title: "200 answers in a message of 16 MiB that does not end",
    run: (stage, signal) =>
      held(stage, signal, {
        streams: 200,
        write(stream) {
          stream.write(frames(oneRequest));
          stream.write(unfinished);
        },
      }),
  },
  {
    finding: "M2",
    title: "headers of 16 MiB, eight million empty ones",
    run: (stage, signal) => {
      const headers = field(2, field(1, repeated(Buffer.from([0x0a, 0x00]), 16 * MiB)));
      const bytes = frames([headers]);
      return oneAfterTheOther(stage, signal, () => bytes);
    },
  },
  {
    finding: "M2+",
    title: "headers of 1 MiB of 2,000 requests that do not go on",
    run: (stage, signal) => {
      const value = Buffer.alloc(1 * MiB - 100, "v");
      const header = field(1, Buffer.concat([field(1, Buffer.from("x")), field(3, value)]));
      const bytes = frames([field(2, field(1, header))]);
      return held(stage, signal, { streams: 2_000, write: (stream) => stream.write(bytes) });
    },
  },
  {
    finding: "M3",
    title: "1,000 requests with a megabyte of metadata in each piece of their bodies",
    run: (stage, signal) => {
      const struct = field(
        1,
        Buffer.concat([field(1, Buffer.from("k")), field(2, field(3, Buffer.alloc(1 * MiB, "m")))]),
      );
      const piece = toBytes(requestBody(" ".repeat(64), false));
      const pieces = Array.from({ length: 50 }, (_, at) =>
        withMetadata(metadataOf(`n${at}`, struct), piece),
      );
      return held(stage, signal, {
        streams: 1_000,
        async write(stream) {
          stream.write(frames([toBytes(requestHeaders())]));
          for (const bytes of pieces) {
            if (stream.destroyed || signal.aborted) return;
            stream.write(bytes);
            await sleep(20);
          }
        },
      });
    },
  },
  {
    finding: "M3+",
    title: "metadata of 16 MiB, a list of empty values",
    run: (stage, signal) => {
      const list = field(6, repeated(Buffer.from([0x0a, 0x00]), 15 * MiB));
      const struct = field(1, Buffer.concat([field(1, Buffer.from("k")), field(2, list)]));
      const bytes = withMetadata(metadataOf("n", struct), toBytes(requestHeaders()));
      return oneAfterTheOther(stage, signal, () => bytes);
    },
  },
  {
    finding: "M3+",
    title: "metadata of 15 MiB, a name each",
    run: (stage, signal) => {
      const names: Buffer[] = [];
      for (let at = 0; at < 900_000; at += 1)
        names.push(field(1, field(1, Buffer.from(at.toString(36).padStart(8, "n")))));
      const bytes = withMetadata(Buffer.concat(names), toBytes(requestHeaders()));
      return oneAfterTheOther(stage, signal, () => bytes);
    },
  },
  {
    finding: "M4",
    title: "12,000 bodies of 63 KiB that do not end",
    run: (stage, signal) => {
      const bytes = frames([
        toBytes(requestHeaders()),
        toBytes(requestBody(" ".repeat(63 * 1024), false)),
      ]);
      return held(stage, signal, {
        streams: 12_000,
        perConnection: 2_000,
        write: (stream) => stream.write(bytes),
      });
    },
  },
  {
    finding: "M4+",
    title: "30,000 requests whose bodies do not come",
    run: (stage, signal) => {
      const bytes = frames([toBytes(requestHeaders())]);
      return held(stage, signal, {
        streams: 30_000,
        perConnection: 4_000,
        write: (stream) => stream.write(bytes),
      });
    },
  },
  {
    finding: "M5",
    title: "what is not gRPC, not protobuf, or not in order",
    run: (stage, signal) =>
      oneAfterTheOther(stage, signal, (at) => notGrpc[at % notGrpc.length] as Buffer, 50),
  },
  {
    finding: "M5+",
    title: "empty messages, as many as there can be",
    run: (stage, signal) => {
      const bytes = frames(Array.from({ length: 200_000 }, () => Buffer.alloc(0)));
      return oneAfterTheOther(stage, signal, () => bytes, 8);
    },
  },
  {
    finding: "M5+",
    title: "200,000 answers begin in one stream",
    run: (stage, signal) => {
      const begins = toBytes({ responseHeaders: { headers: { headers: [] } } });
      const bytes = frames([...oneRequest, ...Array.from({ length: 200_000 }, () => begins)]);
      return oneAfterTheOther(stage, signal, () => bytes, 4);
    },
  },
];
