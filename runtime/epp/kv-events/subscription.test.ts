import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { encode } from "@msgpack/msgpack";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EngineBlocks } from "../../../scheduling/kv-index/engine-blocks.ts";
import { EventStream } from "../../../scheduling/kv-index/event-stream.ts";
import { type KvPublisher, startKvPublisher } from "../../../testing/kv-publisher/start.ts";
import { replay } from "./replay.ts";
import { ReplayTurns } from "./replay-turns.ts";
import { Subscription } from "./subscription.ts";

const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A block of two tokens, after its parent. */
const stored = (hash: number, parent: number | null, tokens: readonly number[]) => ({
  type: "BlockStored",
  block_hashes: [BigInt(hash)],
  parent_block_hash: parent,
  token_ids: tokens,
  block_size: 2,
  medium: "GPU",
});

const eventually = async (check: () => void) =>
  await vi.waitFor(check, { timeout: 60_000, interval: 20 });

function subscribe({ port, replayPort }: { port: number; replayPort?: number | undefined }) {
  const stream = new EventStream(new EngineBlocks(1, 1000), replayPort !== undefined);
  const heard = {
    malformed: [] as string[],
    disconnected: [] as string[],
    replays: [] as string[],
  };
  const subscription = new Subscription({
    ...{ host: "127.0.0.1", port, replayPort, topicFilter: "kv@", stream },
    turns: new ReplayTurns(1),
    random: () => 0,
    observer: {
      received() {},
      malformed: (reason) => heard.malformed.push(reason),
      disconnected: (reason) => heard.disconnected.push(reason),
      replayed: (outcome) => heard.replays.push(outcome),
    },
  });
  stops.push(() => subscription.stop());
  const run = (...tokens: readonly number[]) => {
    const keys = stream.blocks.keysOf({ tokens: [...tokens, 9], adapter: "", cacheSalt: "" }, 99);
    return stream.blocks.run(keys, [1, 1, 1]);
  };
  return { stream, heard, run };
}

async function publisher(): Promise<KvPublisher> {
  const started = await startKvPublisher();
  stops.push(() => started.stop());
  return started;
}

/** Starts a peer that runs `talk` on each connection. */
async function peer(talk: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe("a subscription to a libzmq publisher", () => {
  it("the subscription reads earlier, new and lost messages, and forgets the blocks of a publisher that died", async () => {
    const engine = await publisher();
    engine.publish([stored(1, null, [1, 1])]);
    const { stream, heard, run } = subscribe(engine);
    await eventually(() => expect(run(1, 1)).toBe(1));
    await eventually(() => expect(stream.state).toBe("live"));

    // The publisher knows the subscription once it sends a message outside of a replay.
    let hash = 1;
    await eventually(() => {
      hash += 1;
      engine.publish([stored(hash, 1, [2, 2])]);
      expect(stream.counts.messages).toBeGreaterThan(0);
    });
    await eventually(() => expect(run(1, 1, 2, 2)).toBe(2));

    engine.publish([stored(1000, hash, [3, 3])], { lost: true });
    engine.publish([{ type: "BlockRemoved", block_hashes: [BigInt(hash)] }], { topic: "else@" });
    engine.publish([stored(1001, 1000, [4, 4])]);
    await eventually(() => expect(stream.blocks.size).toBeGreaterThan(2));
    await eventually(() => expect(stream.counts.gaps).toBeGreaterThan(0));
    expect(heard.malformed).toEqual([]);
    expect(new Set(heard.replays)).toEqual(new Set(["complete"]));

    process.kill(engine.pid, "SIGKILL");
    await eventually(() => expect(stream.state).toBe("down"));
    expect(stream.blocks.size).toBe(0);
    await eventually(() => expect(heard.disconnected.length).toBeGreaterThan(1));
  }, 120_000);

  it("a subscription without replays skips lost messages, and reconnects later after a malformed message", async () => {
    const engine = await publisher();
    const { stream, heard, run } = subscribe({ port: engine.port });
    let hash = 0;
    await eventually(() => {
      hash += 1;
      engine.publish([stored(hash, null, [1, 1])]);
      expect(run(1, 1)).toBe(1);
    });
    engine.publish([stored(5000, null, [5, 5])], { lost: true });
    engine.publish([stored(5001, null, [6, 6])]);
    await eventually(() => expect([run(1, 1), run(5, 5), run(6, 6)]).toEqual([0, 0, 1]));
    expect(stream.counts).toMatchObject({ gaps: 1, lost: 1 });

    engine.publishRaw(Buffer.from([0xc1]));
    await eventually(() => expect(heard.malformed).toHaveLength(1));
    expect(stream.blocks.size).toBe(0);
    await eventually(() => {
      engine.publish([stored(6000, null, [7, 7])]);
      expect(run(7, 7)).toBe(1);
    });
  }, 120_000);
});

const greeting = Buffer.concat([
  Buffer.of(0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0),
  Buffer.from("NULL".padEnd(20, "\0")),
  Buffer.alloc(32),
]);

describe("a subscription to a malicious peer", () => {
  it.each<[string, readonly Buffer[], RegExp]>([
    [
      "a reply that is not ZMTP",
      [Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n".padEnd(64))],
      /does not speak ZMTP/,
    ],
    [
      "an unsupported mechanism",
      [Buffer.from(greeting.toString("latin1").replace("NULL", "CURV"), "latin1")],
      /CURV/,
    ],
    ["a peer that is not a publisher", [greeting, ready("PUSH")], /is a PUSH/],
    ["a message before READY", [greeting, Buffer.of(0, 1, 7)], /before READY/],
    [
      "an oversized message",
      [greeting, ready("PUB"), Buffer.of(2, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)],
      /longer than/,
    ],
    [
      "a message of unlimited parts",
      [greeting, ready("PUB"), Buffer.alloc(64, Buffer.of(1, 0))],
      /more than 16 parts/,
    ],
    [
      "a message without a sequence number",
      [greeting, ready("PUB"), Buffer.of(1, 1, 7, 0, 1, 7)],
      /no sequence number/,
    ],
    [
      "a length beyond the end of READY",
      [greeting, Buffer.of(4, 8, 5, ...Buffer.from("READY"), 200, 1)],
      /is a undefined/,
    ],
  ])("the connection is closed because of %s", async (_, bytes, reason) => {
    const { heard, stream } = subscribe({
      port: await peer((socket) => socket.write(Buffer.concat(bytes))),
    });
    await eventually(() => expect(heard.disconnected[0]).toMatch(reason));
    expect(stream.blocks.size).toBe(0);
  });
});

/** Writes the same bytes again and again, whether the peer reads them or not. */
function flood(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", more);
  more();
}

describe("a peer that uses resources without end", () => {
  it("a peer that sends pings and reads no reply is disconnected", async () => {
    const ping = Buffer.concat([Buffer.of(4, 23, 4), Buffer.from("PING"), Buffer.alloc(18)]);
    const { heard } = subscribe({
      port: await peer((socket) => {
        socket.pause().write(Buffer.concat([greeting, ready("PUB")]));
        flood(socket, Buffer.alloc(1_000 * ping.length, ping));
      }),
    });
    await eventually(() => expect(heard.disconnected[0]).toMatch(/sends pings but/));
  }, 120_000);

  const answer = Buffer.concat([
    ...[Buffer.of(1, 0, 1, 1, 0x6b, 1, 8), Buffer.alloc(8)],
    ...[Buffer.of(0, 3), Buffer.from(encode([0, []]))],
  ]);

  it.each<[string, { answerTimeoutMs: number; timeoutMs: number }, boolean, RegExp]>([
    ["no reply", { answerTimeoutMs: 50, timeoutMs: 600_000 }, false, /no answer for/],
    ["the same reply forever", { answerTimeoutMs: 600_000, timeoutMs: 200 }, true, /took longer/],
  ])("a replay ends if the peer sends %s", async (_, limits, answers, reason) => {
    const port = await peer((socket) => {
      socket.write(Buffer.concat([greeting, ready("ROUTER")]));
      // The peer also responds to pings.
      if (answers) setInterval(() => socket.write(answer), 5).unref();
    });
    const ended = await new Promise<string | undefined>((resolve) => {
      replay({
        ...{ host: "127.0.0.1", port, from: 0, ...limits },
        ...{ connectTimeoutMs: 60_000, idleTimeoutMs: 60_000, maxMessageBytes: 1_000 },
        onBatch() {},
        onEnd: resolve,
      });
    });
    expect(ended).toMatch(reason);
  });
});

function ready(socketType: string): Buffer {
  const properties = Buffer.concat([
    Buffer.of(11),
    Buffer.from("Socket-Type"),
    Buffer.of(0, 0, 0, socketType.length),
    Buffer.from(socketType),
  ]);
  const body = Buffer.concat([Buffer.of(5), Buffer.from("READY"), properties]);
  return Buffer.concat([Buffer.of(4, body.length), body]);
}
