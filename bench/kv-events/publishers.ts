/**
 * Publishers of KV events, a stand-in for engines: each sends so many blocks a second and takes as many back, in ten messages.
 * `node publishers.ts COUNT BLOCKS_PER_SECOND PORT`; they listen on 127.1.0.1, 127.1.0.2, ...
 */
import { createServer, type Socket } from "node:net";
import { encode } from "@msgpack/msgpack";

const [count = 64, blocksPerSecond = 1_000, port = 15_557] = process.argv.slice(2).map(Number);
const messagesPerSecond = 10;
/** Blocks of a request: 320 tokens. */
const perEvent = 20;
const blockSize = 16;
const blocks = blocksPerSecond / messagesPerSecond;

const greeting = Buffer.alloc(64);
greeting.set([0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1]);
greeting.write("NULL", 12);
const ready = Buffer.concat([
  Buffer.of(4, 25, 5),
  Buffer.from("READY"),
  Buffer.of(11),
  Buffer.from("Socket-Type"),
  Buffer.of(0, 0, 0, 3),
  Buffer.from("PUB"),
]);
ready[1] = ready.length - 2;

const hash = (round: number, at: number) =>
  BigInt.asUintN(64, BigInt(round * 1_000 + at + 1) * 0x9e3779b97f4a7c15n);

/** What is sent in one of thirty rounds: new blocks, and those of the round ten before go. */
function payload(round: number): Uint8Array {
  const events: object[] = [];
  for (let from = 0; from < blocks; from += perEvent) {
    const here = Math.min(perEvent, blocks - from);
    events.push({
      type: "BlockStored",
      block_hashes: Array.from({ length: here }, (_, at) => hash(round, from + at)),
      parent_block_hash: null,
      token_ids: Array.from(
        { length: here * blockSize },
        (_, at) => (at * 7_919 + round * 31 + from) % 151_936,
      ),
      block_size: blockSize,
      lora_id: null,
      medium: "GPU",
      lora_name: null,
      extra_keys: Array(here).fill(null),
      group_idx: 0,
      kv_cache_spec_kind: "full_attention",
    });
  }
  const gone = (round + 20) % 30;
  for (let at = 0; at < blocks; at += 1)
    events.push({
      type: "BlockRemoved",
      block_hashes: [hash(gone, at)],
      medium: "GPU",
      group_idx: 0,
    });
  return encode([Date.now() / 1000, events, 0], { useBigInt64: true });
}

const payloads = Array.from({ length: 30 }, (_, round) => payload(round));

function message(sequence: number): Buffer {
  const topic = Buffer.from("kv@10.0.0.1@m");
  const body = payloads[sequence % payloads.length] as Uint8Array;
  const head = Buffer.alloc(2 + topic.length + 2 + 8 + 9);
  head.set([1, topic.length]);
  head.set(topic, 2);
  head.set([1, 8], 2 + topic.length);
  head.writeBigUInt64BE(BigInt(sequence), 4 + topic.length);
  head[12 + topic.length] = 2;
  head.writeBigUInt64BE(BigInt(body.length), 13 + topic.length);
  return Buffer.concat([head, body]);
}

function publish(socket: Socket): void {
  let sequence = 0;
  socket.write(Buffer.concat([greeting, ready]));
  const timer = setInterval(() => socket.write(message(sequence++)), 1000 / messagesPerSecond);
  // Pings and the subscription are read and not looked at: what comes here is the bench itself.
  socket.on("data", () => socket.write(Buffer.of(4, 5, 4, 0x50, 0x4f, 0x4e, 0x47)));
  socket.on("error", () => {}).on("close", () => clearInterval(timer));
}

for (let at = 1; at <= count; at += 1) {
  const host = `127.1.${at >> 8}.${at & 255}`;
  createServer(publish).listen(
    port,
    host,
    at === count ? () => console.log("publishing") : undefined,
  );
}
