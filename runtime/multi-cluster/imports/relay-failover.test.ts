import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { status } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../epp/clock.ts";
import { controlHeader } from "../../epp/request-path/control-headers.ts";
import { body, newEvents, post, standInPicker } from "../../epp/server/conversation.fixture.ts";
import { extProcService } from "../../epp/server/ext-proc-service.ts";
import type { ImportTelemetry } from "./import-telemetry.ts";
import { prompt, RelayScene, served, soon } from "./relay-scene.fixture.ts";
import { relayService } from "./relay-service.ts";
import { type Destination, maxKeptBytes } from "./relay-stream.ts";

let relay: RelayScene;
beforeEach(async () => {
  relay = await RelayScene.start();
});
afterEach(() => relay.stop());

const [dropReason] = controlHeader.dropReason;

describe("a cluster whose picker has no endpoints", () => {
  const noPods = { objects: { pods: [] } };

  it("passes the request to the next cluster", async () => {
    await relay.cluster("a", noPods);
    await relay.cluster("b");
    expect(await relay.ask()).toMatchObject(served);
    expect(relay.told).toEqual(["to a", "a has none", "on from a", "to b"]);
  });

  it("is not tried again, and the first refusal reaches the client if no cluster has endpoints", async () => {
    await relay.cluster("a", noPods);
    await relay.nobody("b");
    await relay.cluster("c", noPods);
    const { answers, ended } = relay.open(post(), body(prompt));
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toMatchObject([
      { to: "immediateResponse", status: 503, set: { [dropReason]: "rejected-no-endpoints" } },
    ]);
    expect(relay.told.filter((line) => line.startsWith("to "))).toEqual([
      "to a",
      "to b",
      "to c",
      "to b",
      "to undefined",
    ]);
  });

  it("is not confused with a picker that refuses a request for another reason", async () => {
    await relay.cluster("a");
    await relay.cluster("b");
    const { answers, ended } = relay.open(post(), body('{"prompt":"rejected-no-endpoints"}'));
    await ended;
    expect(answers).toMatchObject([{ to: "immediateResponse", status: 400 }]);
    expect(relay.told).toEqual(["to a"]);
  });
});

it("a cluster that does not respond to probes is tried after all other clusters were tried twice", async () => {
  await relay.cluster("a");
  await relay.nobody("b");
  const [a, b] = relay.destinations as [Destination, Destination];
  relay.destinations.splice(0, 2, { ...a, isLastResort: true }, b);
  expect(await relay.ask()).toMatchObject(served);
  expect(relay.told).toEqual(["to b", "on from b", "to b", "on from b", "to a"]);
});

it.each(["has no endpoints", "is gone"])(
  "a cluster that stops responding to probes while another one %s serves as the last resort",
  async (what) => {
    if (what === "is gone") await relay.nobody("a");
    else await relay.cluster("a", { objects: { pods: [] } });
    await relay.cluster("b");
    const [a, b] = relay.destinations as [Destination, Destination];
    let seen = true;
    const watched: Destination = {
      ...b,
      get usable() {
        return seen;
      },
    };
    const loses: Destination = {
      ...a,
      next() {
        seen = false;
        relay.destinations.splice(1, 1, { ...b, isLastResort: true });
        return a.next();
      },
    };
    relay.destinations.splice(0, 2, loses, watched);
    expect(await relay.ask()).toMatchObject(served);
    expect(relay.told.at(-1)).toBe("to b");
  },
);

describe("a request to a cluster that cannot be reached", () => {
  it("is sent to the next cluster if nothing listens", async () => {
    await relay.nobody("a");
    await relay.cluster("b");
    expect(await relay.ask()).toMatchObject(served);
    expect(relay.told).toEqual(["to a", "on from a", "to b"]);
  });

  it.each<[string, (stream: ServerHttp2Stream, sockets: ReadonlySet<Socket>) => void]>([
    ["breaks its connection", (_, sockets) => sockets.forEach((socket) => void socket.destroy())],
    ["resets the stream", (stream) => stream.close(7)],
    [
      "answers with an HTTP error",
      (stream) => stream.respond({ ":status": 503 }, { endStream: true }),
    ],
    [
      "answers with an HTML page",
      (stream) => {
        stream.respond({ ":status": 502, "content-type": "text/html" });
        stream.end("<html>");
      },
    ],
    [
      "returns UNAVAILABLE",
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
    "is sent to the next cluster if the picker %s before it answered, with half a body sent",
    async (_, fail) => {
      await relay.faultyCluster("a", (stream, sockets) => {
        let bytes = 0;
        let failed = false;
        stream.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes < 100_000 || failed) return;
          failed = true;
          fail(stream, sockets);
        });
      });
      await relay.cluster("b");
      const text = JSON.stringify({ model: "m", prompt: "x".repeat(200_000) });
      const { call, answers, ended } = relay.open(
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
      expect(relay.told).toEqual(["to a", "on from a", "to b"]);
    },
  );

  it("S2: is sent to the next cluster if the picker accepts no streams, but answers pings", async () => {
    await relay.faultyCluster("a", () => {}, { settings: { maxConcurrentStreams: 0 } });
    await relay.cluster("b");
    // The first stream is refused, because it arrives before the server's limit on streams is known; later streams
    // wait.
    for (let time = 0; time < 2; time += 1) {
      expect(await relay.ask()).toMatchObject(served);
      expect(relay.told.splice(0)).toEqual(["to a", "on from a", "to b"]);
    }
  });

  it("is sent to the only picker again, over a new connection, if the first connection is lost", async () => {
    let connections = 0;
    const events = newEvents();
    const { serve } = extProcService(standInPicker({}, events), () => {});
    await relay.faultyCluster("a", (stream, sockets) => {
      connections += 1;
      if (connections > 1) serve(stream, {});
      else for (const socket of sockets) socket.destroy();
    });
    const { call, answers, ended } = relay.open(post(), body(prompt));
    call.end();
    await ended;
    expect(answers).toMatchObject(served.slice(0, 2));
    expect(relay.told).toEqual(["to a", "on from a", "to a"]);
  });

  it("is not sent to a cluster that has become unusable", async () => {
    await relay.nobody("a");
    const events = await relay.cluster("b");
    (relay.destinations[1] as { usable: boolean }).usable = false;
    const { answers, ended } = relay.open(post(), body(prompt));
    await ended;
    expect(answers).toMatchObject([{ to: "immediateResponse", status: 503 }]);
    expect(events.received).toEqual([]);
  });

  it("gets 503 if no cluster can serve it", async () => {
    const { answers, ended } = relay.open(post(), body(prompt));
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toEqual([
      {
        to: "immediateResponse",
        status: 503,
        body: "inference error: ServiceUnavailable - no cluster of InferencePoolImport ns/pool can serve the request",
        set: { "x-llm-d-request-dropped-reason": "rejected-no-endpoints" },
      },
    ]);
    expect(relay.told).toEqual(["to undefined"]);
  });
});

describe("a cluster that is lost", () => {
  it("ends the stream as UNAVAILABLE if it had already answered", async () => {
    const events = newEvents();
    const { serve } = extProcService(standInPicker({}, events), () => {});
    let all: ReadonlySet<Socket> = new Set();
    await relay.faultyCluster("a", (stream, sockets) => {
      all = sockets;
      serve(stream, {});
    });
    await relay.cluster("b");
    const { ended, received } = relay.open(post(), body(prompt));
    await received(2);
    for (const socket of all) socket.destroy();
    expect(await ended).toMatchObject({
      code: status.UNAVAILABLE,
      details: expect.stringContaining("cluster a: "),
    });
    expect(relay.told).toEqual(["to a", "lost a"]);
    await expect.poll(() => relay.outcomes, soon).toEqual(["UNAVAILABLE"]);
  });

  it("ends a request that was too long to buffer", async () => {
    await relay.faultyCluster("a", (stream, sockets) => {
      let bytes = 0;
      stream.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxKeptBytes) for (const socket of sockets) socket.destroy();
      });
    });
    await relay.cluster("b");
    const text = JSON.stringify({ model: "m", prompt: "x".repeat(maxKeptBytes) });
    const { ended } = relay.open(post(), body(text));
    expect(await ended).toMatchObject({ code: status.UNAVAILABLE });
    expect(relay.told).toEqual(["to a", "lost a"]);
  });

  it("a cluster that ends the stream with its own status passes this status on", async () => {
    await relay.faultyCluster("a", (stream) => {
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
    await relay.cluster("b");
    const { ended } = relay.open(post());
    expect(await ended).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: "too long" });
    expect(relay.told).toEqual(["to a"]);
  });
});

it("S2: buffered bytes of all streams stay within the budget, and a stream beyond it cannot fail over", async () => {
  let received = 0;
  let lose = () => {};
  await relay.faultyCluster("a", (stream, sockets) => {
    stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    lose = () => sockets.forEach((socket) => void socket.destroy());
  });
  await relay.cluster("b");
  const text = JSON.stringify({ model: "m", prompt: "x".repeat(6 * 2 ** 20) });
  const streams = Array.from({ length: 3 }, () => relay.open(post(), body(text)));
  await expect.poll(() => received, soon).toBeGreaterThan(3 * text.length);
  expect(relay.room.bytes).toBe(2 * maxKeptBytes);
  for (const { call } of streams) call.end();
  lose();
  const codes = await Promise.all(streams.map(async ({ ended }) => (await ended).code));
  expect(codes.sort()).toEqual([status.OK, status.OK, status.UNAVAILABLE]);
  expect(relay.told.filter((line) => line === "lost a")).toHaveLength(1);
  expect(relay.room.bytes).toBe(0);
});

it("S2: a request that no cluster answers in time is refused", async () => {
  await relay.faultyCluster("a", () => {});
  const { serve, openStreams } = relayService({
    destinations: () => relay.destinations,
    ...{ importName: "ns/pool", maxReceiveBytes: -1, requestTimeoutMs: 200 },
    telemetry: {
      streams: { streamOpened: () => {}, streamClosed: () => {} },
      relays: { sent: () => {}, failedOver: () => {}, lost: () => {} },
    } as unknown as ImportTelemetry,
    clock: systemClock,
  });
  await relay.serve(serve);
  const { answers, ended } = relay.open(post(), body(prompt));
  expect(await ended).toMatchObject({ code: status.OK });
  expect(answers).toMatchObject([{ to: "immediateResponse", status: 408 }]);
  await expect.poll(openStreams, soon).toBe(0);
});
