import {
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  ServerCredentials,
  status,
} from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reachOf } from "../../../sdk/spec/reachable-address.ts";
import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { systemClock } from "../clock.ts";
import { leavingNotice, streamedBody } from "../protocol/processing-response.ts";
import { BodyRoom } from "../request-path/body-room.ts";
import { controlHeader } from "../request-path/control-headers.ts";
import {
  type Answer,
  body,
  type ConversationOptions,
  type Events,
  newEvents,
  post,
  responseBody,
  standInPicker,
  toAnswer,
  toBytes,
} from "../server/conversation.fixture.ts";
import { envoyHeader, extProcPath, extProcService, goesOn } from "../server/ext-proc-stream.ts";
import { frames } from "../server/grpc-frames.ts";
import { bind, newGrpcServer } from "../server/grpc-server.ts";
import type { NextStep } from "./cluster-route.ts";
import { hopsOfValue, unreadableHops } from "./hop-mark.ts";
import type { ImportTelemetry } from "./import-telemetry.ts";
import { PickerConnection } from "./picker-connection.ts";
import { relayService } from "./relay-service.ts";
import { type Destination, maxKeptBytes, RelayStream } from "./relay-stream.ts";
import { plaintext } from "./remote-security.ts";

/** Streams through a relay to pickers of other clusters, all of it real HTTP/2. */

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const identity = (bytes: Buffer): Buffer => bytes;
const anywhere = reachOf({ networks: undefined, loopback: true });
const [dropReason] = controlHeader.dropReason;
/** On a machine that is busy. */
const soon = { timeout: 10_000 };
const prompt = '{"model":"m","prompt":"hello"}';

let destinations: Destination[];
let told: string[];
let client: Client;
let outcomes: string[];
let room: BodyRoom;
/** Hops for which destinations were asked. */
let asked: number[];

beforeEach(async () => {
  destinations = [];
  told = [];
  outcomes = [];
  asked = [];
  room = new BodyRoom({ maxBody: maxKeptBytes, maxTotal: 2 * maxKeptBytes, now: Date.now });
  const server = newGrpcServer();
  const log = told;
  const codes = outcomes;
  const serve = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const relay = new RelayStream(stream, {
      destinations: (hops) => {
        asked.push(hops);
        return hops < 1 ? destinations : [];
      },
      hops: hopsOfValue(headers[hopsHeader]),
      importName: "ns/pool",
      maxReceiveBytes: -1,
      room,
      proxyGoesOn: goesOn(headers),
      events: {
        sent: (cluster) => log.push(`to ${cluster}`),
        failedOver: (cluster) => log.push(`on from ${cluster}`),
        lost: (cluster) => log.push(`lost ${cluster}`),
      },
    });
    stream.on("close", () => {
      relay.close();
      codes.push(relay.outcome);
    });
  };
  const port = await bind(server, "127.0.0.1:0", ServerCredentials.createInsecure(), {
    path: extProcPath,
    serve,
  });
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  cleanups.push(
    () => server.forceShutdown(),
    () => client.close(),
  );
});

function reach(name: string, port: number): Destination {
  const connection = new PickerConnection({
    addresses: [{ host: "127.0.0.1", port }],
    service: "epp",
    cluster: name,
    reach: anywhere,
    security: plaintext,
    onLost: () => {},
  });
  cleanups.push(() => connection.close());
  const open = (mayLeave: boolean, hops: number) => connection.open(mayLeave, hops);
  const step: NextStep = { kind: "picker", open, reach: anywhere };
  const declined = () => told.push(`${name} has none`);
  const destination = { name, usable: true, next: () => step, declined };
  destinations.push(destination);
  return destination;
}

/** A cluster with a picker of this project. */
async function cluster(name: string, options: ConversationOptions = {}): Promise<Events> {
  const events = newEvents();
  const server = newGrpcServer();
  const { serve } = extProcService(standInPicker(options, events), () => {});
  const handler = { path: extProcPath, serve };
  const port = await bind(server, "127.0.0.1:0", ServerCredentials.createInsecure(), handler);
  cleanups.push(() => server.forceShutdown());
  reach(name, port);
  return events;
}

/** A cluster whose picker does with each stream what the test says. */
async function faultyCluster(
  name: string,
  serve: (
    stream: ServerHttp2Stream,
    sockets: ReadonlySet<Socket>,
    headers: IncomingHttpHeaders,
  ) => void,
  options: ServerOptions = {},
): Promise<void> {
  const server = createServer(options);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    serve(stream, sockets, headers);
  });
  server.on("sessionError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  reach(name, (server.address() as AddressInfo).port);
}

/** A port where nobody listens. */
async function nobody(name: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  reach(name, port);
}

interface Conversation {
  readonly call: ClientDuplexStream<Buffer, Buffer>;
  readonly answers: Answer[];
  readonly ended: Promise<{ code: number; details: string }>;
  heard(count: number): Promise<void>;
}

const open = (...messages: object[]) => openWith(new Metadata(), ...messages);

function openWith(metadata: Metadata, ...messages: object[]): Conversation {
  const call = client.makeBidiStreamRequest(extProcPath, identity, identity, metadata);
  const answers: Answer[] = [];
  const ended = new Promise<{ code: number; details: string }>((resolve) =>
    call.on("status", resolve),
  );
  call.on("error", () => {});
  call.on("data", (bytes: Buffer) => answers.push(toAnswer(bytes)));
  for (const message of messages) call.write(toBytes(message));
  return {
    ...{ call, answers, ended },
    heard: (count) => expect.poll(() => answers.length, soon).toBeGreaterThanOrEqual(count),
  };
}

/** A request with its response, and what was answered. */
async function ask(text = prompt): Promise<Answer[]> {
  const { call, answers, heard, ended } = open(post(), body(text));
  await heard(2);
  call.write(toBytes({ responseHeaders: {} }));
  call.write(toBytes(responseBody("answer", true)));
  await heard(4);
  call.end();
  expect(await ended).toMatchObject({ code: status.OK });
  return answers;
}

const served = [
  { to: "requestHeaders", set: { "x-gateway-destination-endpoint": "10.0.0.1:8000" } },
  { to: "requestBody", body: prompt },
  { to: "responseHeaders" },
  { to: "responseBody", body: "answer", endOfStream: true },
];

describe("a stream", () => {
  it("is its cluster's, both ways", async () => {
    const events = await cluster("a");
    expect(await ask()).toMatchObject(served);
    expect(told).toEqual(["to a"]);
    expect(events.completed).toHaveLength(1);
    await expect.poll(() => outcomes, soon).toEqual(["OK"]);
  });

  it("a stream that the proxy cancels is cancelled at the picker", async () => {
    const events = await cluster("a");
    const { call, heard } = open(post(), body(prompt));
    await heard(2);
    expect(events.running).toBe(1);
    call.cancel();
    await expect.poll(() => events.running, soon).toBe(0);
    expect(outcomes).toEqual(["CANCELLED"]);
  });

  it("a stream that the picker refuses ends as the picker's", async () => {
    await cluster("a");
    await cluster("b");
    const { answers, ended } = open(post(), body("{"));
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toMatchObject([{ to: "immediateResponse", status: 400 }]);
    expect(told).toEqual(["to a"]);
  });

  it("a stream of megabytes arrives whole", async () => {
    await cluster("a");
    const text = JSON.stringify({ model: "m", prompt: "x".repeat(3 * 2 ** 20) });
    const { call, answers, ended } = open(post(), body(text));
    call.end();
    await ended;
    expect(
      answers
        .slice(1)
        .map(({ body }) => body)
        .join("") === text,
    ).toBe(true);
  });

  it("waits for a proxy that does not read", async () => {
    const written: number[] = [];
    const chunk = Buffer.alloc(2 ** 16);
    // One message: a flag, then the length of the rest.
    chunk.writeUInt32BE(chunk.length - 5, 1);
    await faultyCluster("a", (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      const write = () => {
        while (written.length < 2_000) {
          written.push(chunk.length);
          if (!stream.write(chunk)) return;
        }
      };
      stream.on("drain", write);
      write();
    });
    const call = client.makeBidiStreamRequest(extProcPath, identity, identity);
    call.on("error", () => {});
    // A client that has not begun to read takes in everything; one that stops does not.
    call.once("data", () => call.pause());
    call.write(toBytes(post()));
    await expect.poll(() => written.length, soon).toBeGreaterThan(10);
    // Windows and buffers on the way hold some megabytes; the rest waits.
    const settled = async () => {
      const before = written.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return written.length === before;
    };
    await expect.poll(settled, soon).toBe(true);
    expect(written.length).toBeLessThan(200);
    call.cancel();
  });
});

describe("a proxy that goes on by itself", () => {
  const going = new Metadata();
  going.set(envoyHeader, "true");

  it("is left when the cluster's picker leaves, with the answers that it gave", async () => {
    const events = await cluster("a");
    const { answers, ended } = openWith(going, post(), body(prompt));
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toMatchObject(served.slice(0, 2));
    expect(events.unwatched).toHaveLength(1);
    await expect.poll(() => outcomes, soon).toEqual(["OK"]);
  });

  it("is not left where the cluster's picker follows the response", async () => {
    const events = await cluster("a", { responseHeaders: [["x-session-token", "t"]] });
    const { call, heard, ended } = openWith(going, post(), body(prompt));
    await heard(2);
    call.write(toBytes({ responseHeaders: {} }));
    await heard(3);
    call.end();
    await ended;
    expect(events.unwatched).toEqual([]);
  });

  /** A picker that announces its last answer, and ends its stream when it is told to. */
  async function leavingCluster() {
    const streams: ServerHttp2Stream[] = [];
    await faultyCluster("a", (stream) => {
      stream.respond(
        { ":status": 200, "content-type": "application/grpc" },
        { waitForTrailers: true },
      );
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.write(
        frames([
          streamedBody("requestBody", Buffer.from("first"), false),
          leavingNotice,
          streamedBody("requestBody", Buffer.from("last"), true),
        ]),
      );
      streams.push(stream);
    });
    return streams;
  }

  it("gets the last answer together with the end, and no notice of it", async () => {
    const streams = await leavingCluster();
    const { answers, heard, ended } = openWith(going, post());
    await heard(1);
    // What comes to another stream later has been read after it.
    await open(post()).heard(2);
    expect(answers).toMatchObject([{ body: "first" }]);
    streams[0]?.end();
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toMatchObject([{ body: "first" }, { body: "last" }]);
  });

  it("is told of a cluster that is lost between its last answer and its end", async () => {
    const streams = await leavingCluster();
    await cluster("b");
    const { heard, ended } = openWith(going, post());
    await heard(1);
    streams[0]?.close(2);
    expect(await ended).toMatchObject({ code: status.UNAVAILABLE });
    expect(told).toEqual(["to a", "lost a"]);
  });
});

describe("a cluster whose picker has no endpoints", () => {
  const noPods = { objects: { pods: [] } };

  it("costs nothing: the next one gets the request", async () => {
    await cluster("a", noPods);
    await cluster("b");
    expect(await ask()).toMatchObject(served);
    expect(told).toEqual(["to a", "a has none", "on from a", "to b"]);
  });

  it("is not asked again, and the first one's refusal is the client's where none has any", async () => {
    await cluster("a", noPods);
    await nobody("b");
    await cluster("c", noPods);
    const { answers, ended } = open(post(), body(prompt));
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toMatchObject([
      { to: "immediateResponse", status: 503, set: { [dropReason]: "rejected-no-endpoints" } },
    ]);
    expect(told.filter((line) => line.startsWith("to "))).toEqual([
      "to a",
      "to b",
      "to c",
      "to b",
      "to undefined",
    ]);
  });

  it("refuses a request for another reason as it did", async () => {
    await cluster("a");
    await cluster("b");
    const { answers, ended } = open(post(), body('{"prompt":"rejected-no-endpoints"}'));
    await ended;
    expect(answers).toMatchObject([{ to: "immediateResponse", status: 400 }]);
    expect(told).toEqual(["to a"]);
  });
});

describe("a cluster that cannot be reached costs nothing", () => {
  it("a cluster that cannot be reached costs nothing where nobody listens", async () => {
    await nobody("a");
    await cluster("b");
    expect(await ask()).toMatchObject(served);
    expect(told).toEqual(["to a", "on from a", "to b"]);
  });

  it.each<[string, (stream: ServerHttp2Stream, sockets: ReadonlySet<Socket>) => void]>([
    ["breaks its connection", (_, sockets) => sockets.forEach((socket) => void socket.destroy())],
    ["resets the stream", (stream) => stream.close(7)],
    [
      "answers with an HTTP error",
      (stream) => stream.respond({ ":status": 503 }, { endStream: true }),
    ],
    [
      "answers with a page",
      (stream) => {
        stream.respond({ ":status": 502, "content-type": "text/html" });
        stream.end("<html>");
      },
    ],
    [
      "says UNAVAILABLE",
      (stream) =>
        stream.respond(
          { ":status": 200, "content-type": "application/grpc", "grpc-status": "14" },
          { endStream: true },
        ),
    ],
    [
      "ends without a status",
      (stream) => {
        stream.respond({ ":status": 200, "content-type": "application/grpc" });
        stream.end();
      },
    ],
  ])(
    "a cluster that cannot be reached costs nothing where the picker %s before it answered, half a body sent",
    async (_, fail) => {
      await faultyCluster("a", (stream, sockets) => {
        let bytes = 0;
        let failed = false;
        stream.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes < 100_000 || failed) return;
          failed = true;
          fail(stream, sockets);
        });
      });
      await cluster("b");
      const text = JSON.stringify({ model: "m", prompt: "x".repeat(200_000) });
      const { call, answers, ended } = open(
        post(),
        body(text.slice(0, 150_000), false),
        body(text.slice(150_000)),
      );
      call.end();
      expect(await ended).toMatchObject({ code: status.OK });
      expect(
        answers
          .slice(1)
          .map(({ body }) => body)
          .join("") === text,
      ).toBe(true);
      expect(told).toEqual(["to a", "on from a", "to b"]);
    },
  );

  it("S2: where it lets no stream begin, and answers pings", async () => {
    await faultyCluster("a", () => {}, { settings: { maxConcurrentStreams: 0 } });
    await cluster("b");
    // The first stream is refused, since it comes before the server has said how many it takes; others wait.
    for (let time = 0; time < 2; time += 1) {
      expect(await ask()).toMatchObject(served);
      expect(told.splice(0)).toEqual(["to a", "on from a", "to b"]);
    }
  });

  it("a cluster whose only picker lost the connection is reached by a new one", async () => {
    let connections = 0;
    const events = newEvents();
    const { serve } = extProcService(standInPicker({}, events), () => {});
    await faultyCluster("a", (stream, sockets) => {
      connections += 1;
      if (connections > 1) serve(stream, {});
      else for (const socket of sockets) socket.destroy();
    });
    const { call, answers, ended } = open(post(), body(prompt));
    call.end();
    await ended;
    expect(answers).toMatchObject(served.slice(0, 2));
    expect(told).toEqual(["to a", "on from a", "to a"]);
  });

  it("a cluster that became unusable meanwhile is left out", async () => {
    await nobody("a");
    const events = await cluster("b");
    (destinations[1] as { usable: boolean }).usable = false;
    const { answers, ended } = open(post(), body(prompt));
    await ended;
    expect(answers).toMatchObject([{ to: "immediateResponse", status: 503 }]);
    expect(events.received).toEqual([]);
  });

  it("a request that no cluster can serve gets 503", async () => {
    const { answers, ended } = open(post(), body(prompt));
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toEqual([
      {
        to: "immediateResponse",
        status: 503,
        body: "inference error: ServiceUnavailable - no cluster of InferencePoolImport ns/pool can serve the request",
        set: { "x-llm-d-request-dropped-reason": "rejected-no-endpoints" },
      },
    ]);
    expect(told).toEqual(["to undefined"]);
  });
});

describe("a cluster that is lost", () => {
  it("after it answered ends the stream as UNAVAILABLE", async () => {
    const events = newEvents();
    const { serve } = extProcService(standInPicker({}, events), () => {});
    let all: ReadonlySet<Socket> = new Set();
    await faultyCluster("a", (stream, sockets) => {
      all = sockets;
      serve(stream, {});
    });
    await cluster("b");
    const { ended, heard } = open(post(), body(prompt));
    await heard(2);
    for (const socket of all) socket.destroy();
    expect(await ended).toMatchObject({
      code: status.UNAVAILABLE,
      details: expect.stringContaining("cluster a: "),
    });
    expect(told).toEqual(["to a", "lost a"]);
    await expect.poll(() => outcomes, soon).toEqual(["UNAVAILABLE"]);
  });

  it("a cluster that is lost ends a request that was too long to keep", async () => {
    await faultyCluster("a", (stream, sockets) => {
      let bytes = 0;
      stream.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxKeptBytes) for (const socket of sockets) socket.destroy();
      });
    });
    await cluster("b");
    const text = JSON.stringify({ model: "m", prompt: "x".repeat(maxKeptBytes) });
    const { ended } = open(post(), body(text));
    expect(await ended).toMatchObject({ code: status.UNAVAILABLE });
    expect(told).toEqual(["to a", "lost a"]);
  });

  it("a status of its own is passed on", async () => {
    await faultyCluster("a", (stream) => {
      stream.respond(
        {
          ":status": 200,
          "content-type": "application/grpc",
          "grpc-status": "8",
          "grpc-message": "too%20long",
        },
        { endStream: true },
      );
    });
    await cluster("b");
    const { ended } = open(post());
    expect(await ended).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: "too long" });
    expect(told).toEqual(["to a"]);
  });
});

it("S2: what is kept of all streams has its room; a stream beyond it has one chance", async () => {
  let received = 0;
  let lose = () => {};
  await faultyCluster("a", (stream, sockets) => {
    stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    lose = () => sockets.forEach((socket) => void socket.destroy());
  });
  await cluster("b");
  const text = JSON.stringify({ model: "m", prompt: "x".repeat(6 * 2 ** 20) });
  const streams = Array.from({ length: 3 }, () => open(post(), body(text)));
  await expect.poll(() => received, soon).toBeGreaterThan(3 * text.length);
  expect(room.bytes).toBe(2 * maxKeptBytes);
  for (const { call } of streams) call.end();
  lose();
  const codes = await Promise.all(streams.map(async ({ ended }) => (await ended).code));
  expect(codes.sort()).toEqual([status.OK, status.OK, status.UNAVAILABLE]);
  expect(told.filter((line) => line === "lost a")).toHaveLength(1);
  expect(room.bytes).toBe(0);
});

it("S2: a request that no cluster answers in time is refused", async () => {
  await faultyCluster("a", () => {});
  const server = newGrpcServer();
  const { serve, openStreams } = relayService({
    destinations: () => destinations,
    ...{ importName: "ns/pool", maxReceiveBytes: -1, requestTimeoutMs: 200 },
    telemetry: {
      streams: { streamOpened: () => {}, streamClosed: () => {} },
      relays: { sent: () => {}, failedOver: () => {}, lost: () => {} },
    } as unknown as ImportTelemetry,
    clock: systemClock,
  });
  const handler = { path: extProcPath, serve };
  const port = await bind(server, "127.0.0.1:0", ServerCredentials.createInsecure(), handler);
  client.close();
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  cleanups.push(
    () => server.forceShutdown(),
    () => client.close(),
  );
  const { answers, ended } = open(post(), body(prompt));
  expect(await ended).toMatchObject({ code: status.OK });
  expect(answers).toMatchObject([{ to: "immediateResponse", status: 408 }]);
  await expect.poll(openStreams, soon).toBe(0);
});

describe("a stream that was sent on by another cluster", () => {
  const marks: ReadonlyArray<readonly [Record<string, string>, Record<string, string>, number]> = [
    [{}, {}, 0],
    [{ [hopsHeader]: "0" }, {}, 0],
    [{ [hopsHeader]: "1" }, {}, 1],
    [{ [hopsHeader]: "3" }, { [hopsHeader]: "2" }, 3],
    [{}, { [hopsHeader]: "2" }, 2],
    [{ [hopsHeader]: "-1" }, {}, unreadableHops],
    [{ [hopsHeader]: "0, 0" }, {}, unreadableHops],
  ];
  it.each(marks)("a request of headers %j on a stream of %j has come so far", async (...mark) => {
    const [ofRequest, ofStream, hops] = mark;
    await cluster("a");
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(ofStream)) metadata.set(name, value);
    const { answers, call, heard } = openWith(metadata, post(ofRequest), body(prompt));
    await heard(1);
    call.cancel();
    expect(asked).toEqual([hops]);
    expect(answers[0]).toMatchObject(
      hops === 0 ? { to: "requestHeaders" } : { to: "immediateResponse", status: 503 },
    );
    expect(told).toEqual([hops === 0 ? "to a" : "to undefined"]);
  });

  it("a stream that is relayed says so to the next picker", async () => {
    const marks: unknown[] = [];
    await faultyCluster("a", (_, __, headers) => marks.push(headers[hopsHeader]));
    open(post());
    await expect.poll(() => marks[0], soon).toBe("1");
  });
});
