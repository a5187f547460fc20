import { afterEach, expect, it, vi } from "vitest";
import { type Endpoint, newLiveState } from "../../../scheduling/endpoints/endpoint.ts";
import { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";
import { kvEventPorts } from "../../../sdk/engines/containers/kv-events.ts";
import { startKvPublisher } from "../../../testing/kv-publisher/start.ts";
import { KvEventSubscriptions } from "./subscriptions.ts";

/** Engines with several ranks, each with a libzmq publisher. */

const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** An address that only this process uses, so that every port is free. */
const host = `127.${100 + (process.pid % 50)}.${1 + (process.pid % 250)}.14`;

const stored = (tokens: readonly number[]) => ({
  type: "BlockStored",
  block_hashes: [BigInt(tokens[0] as number)],
  parent_block_hash: null,
  token_ids: tokens,
  block_size: 2,
  medium: "GPU",
});

it("each rank is subscribed to at its own port, counted over all target ports", async () => {
  const index = new KvIndex({ seed: 1, replays: true, ranks: 2 });
  const endpoint: Endpoint = {
    ...{ id: "ns/pod-rank-1", namespace: "ns", pod: "pod", podUid: "uid", rank: 1 },
    ...{ ip: host, port: 8001, address: `${host}:8001`, labels: {}, live: newLiveState() },
  };
  const ports = (rank: number) => ({
    ...{ host, port: kvEventPorts.events + 2 + rank, replayPort: kvEventPorts.replay + 2 + rank },
  });
  const publishers = await Promise.all([0, 1].map((rank) => startKvPublisher(ports(rank))));
  for (const [rank, publisher] of publishers.entries()) {
    stops.push(() => publisher.stop());
    publisher.publish([stored([rank, rank])]);
  }
  const subscriptions = new KvEventSubscriptions({
    ...{ index, port: kvEventPorts.events, replayPort: kvEventPorts.replay, topicFilter: "kv@" },
    random: () => 0,
    observer: { received() {}, malformed() {}, disconnected() {}, replayed() {} },
  });
  stops.push(() => subscriptions.stop());
  subscriptions.watch([endpoint]);
  const soon = { timeout: 60_000, interval: 20 };
  await vi.waitFor(() => expect(index.blocks(endpoint)).toHaveLength(2), soon);
  const has = (rank: number, of: number) => {
    const blocks = index.blocks(endpoint)?.[rank];
    const keys = blocks?.keysOf({ tokens: [of, of, 9], adapter: "", cacheSalt: "" }, 99);
    return blocks?.run(keys as Float64Array, [1, 1, 1]);
  };
  await vi.waitFor(
    () => expect([has(0, 0), has(0, 1), has(1, 0), has(1, 1)]).toEqual([1, 0, 0, 1]),
    soon,
  );
  // Messages outside of a replay arrive at the publishers' own ports, once they know of the subscription.
  for (const [rank, publisher] of publishers.entries())
    await vi.waitFor(() => {
      publisher.publish([stored([5 + rank, 5 + rank])], { kept: false });
      expect(has(rank, 5 + rank)).toBe(1);
    }, soon);
  expect(has(0, 6)).not.toBe(1);
  expect(subscriptions.problem(endpoint, 1)).toBeUndefined();
});
