/**
 * Publishers of KV events, a stand-in for engines: each sends so many blocks a second and takes as many back, in ten messages.
 * `node publishers.ts COUNT BLOCKS_PER_SECOND PORT`; they listen on 127.1.0.1, 127.1.0.2, ...
 */
import { encode } from "@msgpack/msgpack";
import { ZmtpPublisher } from "../../testing/kv-events/zmtp-publisher.ts";

const [count = 64, blocksPerSecond = 1_000, port = 15_557] = process.argv.slice(2).map(Number);
const messagesPerSecond = 10;
/** Blocks of a request: 320 tokens. */
const perEvent = 20;
const blockSize = 16;
const blocks = blocksPerSecond / messagesPerSecond;

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

async function publishAt(host: string): Promise<void> {
  const publisher = new ZmtpPublisher("kv@10.0.0.1@m");
  await publisher.listen(host, port);
  let round = 0;
  setInterval(() => {
    if (publisher.isHeard) publisher.publish(payloads[round++ % payloads.length] as Uint8Array);
  }, 1000 / messagesPerSecond);
}

const hosts = Array.from({ length: count }, (_, at) => `127.1.${(at + 1) >> 8}.${(at + 1) & 255}`);
await Promise.all(hosts.map(publishAt));
console.log("publishing");
