import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
} from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { toBytes } from "../../runtime/epp/server/conversation.fixture.ts";
import { frames } from "../../runtime/manager/grpc/grpc-frames.ts";
import { MiB } from "./bodies.ts";
import { greeting, idleStreams } from "./http2-frames.ts";
import { method, requestBody, requestHeaders } from "./proxy-streams.ts";
import type { Attack, Stage } from "./stage.ts";

/** Peers that do not read, read slowly, send slowly, or keep streams: bytes that a program holds for them. */

/** Address of the peers, which differs from the address of the gateway. */
const hostile = "127.0.0.9";

interface Peer {
  /** Bytes that it reads of each stream. Default 0. */
  readonly window?: number;
  readonly address?: string;
}

function dial(port: number, { window = 0, address = hostile }: Peer = {}): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`, {
    settings: { initialWindowSize: window },
    // Otherwise the client itself resets streams once 10 MB wait to be sent.
    maxSessionMemory: 100_000,
    createConnection: () => connectTcp({ port, host: "127.0.0.1", localAddress: address }),
  });
  session.on("error", () => {});
  return session;
}

function open(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request(method);
  stream.on("error", () => {});
  return stream;
}

interface Load extends Peer {
  readonly streams: number;
  /** Default 100. */
  readonly perConnection?: number;
  /** Written at once. */
  readonly first: Buffer;
  /** Written every 100 ms after that. Default: nothing. */
  readonly later?: Buffer;
  /** Streams whose first bytes are written concurrently. Default 8, so that few bodies are incomplete. */
  readonly writes?: number;
  /** Whether the streams are half-closed. Default false. */
  readonly ends?: boolean;
  /** Called with each stream, for example to read it. */
  readonly with?: (stream: ClientHttp2Stream) => void;
}

/** Largest number of bytes and of streams per second. */
interface Pace {
  readonly bytes: number;
  readonly streams: number;
}

/** A client with more bytes or streams per second attacks the processor, and not only the memory. */
const memoryOnly: Pace = { bytes: 60 * MiB, streams: 1_000 };

/** As fast as the bytes are taken. */
export const unpaced: Pace = { bytes: Number.POSITIVE_INFINITY, streams: 8_000 };

/** Opens streams at a pace, again when they are reset, until the signal. */
async function load(
  { ports, ended }: Stage,
  signal: AbortSignal,
  settings: Load,
  pace: Pace,
): Promise<string> {
  const { streams, perConnection = 100, first, later, writes = 8, ends = false } = settings;
  const sessions: ClientHttp2Session[] = [];
  const opened = new Set<ClientHttp2Stream>();
  let resets = 0;
  let writing = 0;
  let due = performance.now();
  const goesOn = () => !signal.aborted && ended() === undefined;
  const drip = setInterval(() => {
    if (later !== undefined)
      for (const stream of opened) if (stream.writableLength === 0) stream.write(later);
  }, 100);
  for (let at = 0; goesOn(); at += 1) {
    if (opened.size >= streams || writing >= writes) {
      await sleep(1);
      continue;
    }
    let session = sessions.at(-1);
    if (session === undefined || session.destroyed || at % perConnection === 0) {
      session = dial(ports.grpc, settings);
      sessions.push(session);
    }
    const stream = open(session);
    opened.add(stream);
    stream.on("close", () => {
      opened.delete(stream);
      resets += 1;
    });
    settings.with?.(stream);
    writing += 1;
    let isWriting = true;
    const written = () => {
      if (isWriting) writing -= 1;
      isWriting = false;
    };
    stream.on("close", written);
    stream.write(first, written);
    if (ends) stream.end();
    due += 1_000 * Math.max(first.length / pace.bytes, 1 / pace.streams);
    if (due - performance.now() > 5 || at % 8 === 7)
      await sleep(Math.max(0, due - performance.now()));
  }
  clearInterval(drip);
  for (const session of sessions) session.destroy();
  return `${resets} ended`;
}

const piecesOf = (messages: readonly object[]) => frames(messages.map(toBytes));
const bodyOf = (bytes: number) => `{"model":"real","prompt":"${"x".repeat(bytes)}"}`;
const request = piecesOf([requestHeaders(), requestBody(bodyOf(4 * MiB))]);
const smallRequest = [requestHeaders(), requestBody('{"model":"real","prompt":"hi"}')];
const answerOf = (bytes: number) => ({
  responseBody: { body: Buffer.alloc(bytes, "x"), endOfStream: false },
});
const answers = (count: number, bytes: number) =>
  piecesOf([
    ...smallRequest,
    { responseHeaders: {} },
    ...Array.from({ length: count }, () => answerOf(bytes)),
  ]);
const headersOf = (bytes: number) => ({
  requestHeaders: {
    headers: {
      headers: [
        ...requestHeaders().requestHeaders.headers.headers,
        { key: "x-long", rawValue: Buffer.alloc(bytes, "v") },
      ],
    },
  },
});
const metadataOf = (bytes: number) => ({
  ...requestHeaders(),
  metadataContext: {
    filterMetadata: { n: { fields: { k: { stringValue: "m".repeat(bytes) } } } },
  },
});

const unreadAttacks = (pace: Pace): readonly Attack[] => {
  const attack = (title: string, settings: Load, finding = "U1+"): Attack => ({
    finding,
    title,
    isRelative: true,
    run: (stage, signal) => load(stage, signal, settings, pace),
  });
  return [
    attack(
      "220 answers to bodies of 4 MiB that are not read, on one connection",
      { streams: 220, perConnection: 220, first: request },
      "U1",
    ),
    attack("100 half-closed streams whose answers of 4 MiB are not read", {
      ...{ streams: 100, first: request, ends: true },
    }),
    attack("100 answers of 4 MiB that are read a byte at a time", {
      ...{ streams: 100, first: request, window: 1 },
      with: (stream) => stream.on("data", () => {}),
    }),
    attack("220 responses of 4 MiB whose pieces are not read", {
      ...{ streams: 220, first: answers(1, 4 * MiB) },
    }),
    attack("1,000 streams that send 240 KiB more than is read", {
      ...{ streams: 1_000, writes: 1_000, first: answers(20, 14_000) },
    }),
    attack("names of models of 1 MiB, which a refusal repeats", {
      streams: 300,
      first: piecesOf([requestHeaders(), requestBody(`{"model":"${"m".repeat(MiB)}"}`)]),
    }),
    attack("1,000 streams with headers of 1 MiB and a body that does not end", {
      ...{ streams: 1_000, window: 65_535 },
      first: piecesOf([headersOf(MiB), requestBody("{", false)]),
      later: piecesOf([requestBody(" ", false)]),
    }),
    attack("1,000 streams with metadata of 1 MiB and a body that does not end", {
      ...{ streams: 1_000, window: 65_535 },
      first: piecesOf([metadataOf(MiB), requestBody("{", false)]),
      later: piecesOf([requestBody(" ", false)]),
    }),
    attack("60 bodies of 15 MiB whose last bytes arrive one at a time", {
      ...{ streams: 60, writes: 60, window: 65_535 },
      first: piecesOf([requestHeaders(), requestBody(" ".repeat(15 * MiB), false)]),
      later: piecesOf([requestBody(" ", false)]),
    }),
    attack("12,000 requests of 3 KiB that do not end", {
      ...{ streams: 12_000, perConnection: 2_000, window: 65_535 },
      first: piecesOf([headersOf(2_000), requestBody(" ".repeat(1_000), false)]),
    }),
    attack("12,000 streams that begin a message", {
      ...{ streams: 12_000, perConnection: 2_000, window: 65_535 },
      first: request.subarray(0, 3_500),
    }),
  ];
};

/** Connections whose streams send nothing, from one address or more. */
const idle = (title: string, addresses: number, finding: string): Attack => ({
  finding,
  title,
  isRelative: true,
  async run({ ports, ended }, signal) {
    const sockets: Socket[] = [];
    for (let at = 0; at < 9 && !signal.aborted; at += 1) {
      const localAddress = `127.0.9.${1 + (at % addresses)}`;
      const socket = connectTcp({ port: ports.grpc, host: "127.0.0.1", localAddress });
      socket.on("error", () => {});
      socket.resume();
      socket.write(greeting);
      for (let from = 0; from < 4_096; from += 512) {
        socket.write(idleStreams(from, 512));
        await sleep(5);
      }
      sockets.push(socket);
    }
    while (!signal.aborted && ended() === undefined) await sleep(50);
    for (const socket of sockets) socket.destroy();
    return "held";
  },
});

/** A flood of requests for pages: pipelined on 30 connections that are opened again when they are closed. */
const pages = (path: string): Attack => ({
  finding: "T2",
  title: `30 connections with pipelined requests of ${path}`,
  isRelative: true,
  async run({ ports, ended }, signal) {
    const requests = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(1_000));
    let closed = 0;
    const worker = async () => {
      while (!signal.aborted && ended() === undefined) {
        const to = { port: ports.metrics, host: "127.0.0.1", localAddress: hostile };
        const socket = connectTcp(to);
        socket.on("error", () => {});
        socket.resume();
        const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
        const over = () => socket.destroy();
        signal.addEventListener("abort", over);
        const write = () => {
          while (!socket.destroyed && socket.write(requests));
        };
        socket.on("connect", write).on("drain", write);
        await gone;
        signal.removeEventListener("abort", over);
        closed += 1;
      }
    };
    await Promise.all(Array.from({ length: 30 }, worker));
    return `${closed} connections closed`;
  },
});

/** The loads of a port that speaks ext_proc. */
export const heldAttacks = (pace = memoryOnly): readonly Attack[] => [
  ...unreadAttacks(pace),
  idle("36,864 idle streams of one address", 1, "Q1"),
  idle("36,864 idle streams of nine addresses", 9, "Q1+"),
];

export const pageAttacks: readonly Attack[] = [pages("/responses"), pages("//")];
