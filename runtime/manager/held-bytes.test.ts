import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { HeldBytes, type Holding } from "./held-bytes.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** A budget of 160 bytes, and the names of the streams that it evicted. */
function scene() {
  const held = new HeldBytes(160);
  const evicted: string[] = [];
  const enter = (address: string, name: string): Holding =>
    held.enter(address, { evict: () => evicted.push(name) });
  return { held, evicted, enter };
}

it("evicts the largest stream of the address that holds most", () => {
  const { held, evicted, enter } = scene();
  enter("a", "small").hold(20);
  enter("a", "large").hold(90);
  enter("b", "other").hold(40);
  enter("b", "newest").hold(20);
  expect(evicted).toEqual(["large"]);
  expect(held.bytes).toBe(80);
});

it("many bytes from one address do not evict the streams of an address that holds fewer", () => {
  const { evicted, enter } = scene();
  enter("gateway", "gateway").hold(60);
  for (let at = 0; at < 100; at += 1) enter("a", "attacker").hold(30);
  expect(new Set(evicted)).toEqual(new Set(["attacker"]));
});

it("evicts the oldest of equal streams, and frees a sixteenth of the budget at once", () => {
  const { held, evicted, enter } = scene();
  for (let at = 0; at < 33; at += 1) enter("a", `${at}`).hold(5);
  expect(evicted).toEqual(["0", "1", "2"]);
  expect(held.bytes).toBe(150);
});

it("evicts a stream that exceeds the budget alone", () => {
  const { held, evicted, enter } = scene();
  enter("a", "huge").hold(161);
  expect(evicted).toEqual(["huge"]);
  expect(held.bytes).toBe(0);
});

it("counts a stream's bytes until it leaves, and not afterwards", () => {
  const { held, enter } = scene();
  const stream = enter("a", "stream");
  stream.hold(100);
  stream.hold(40);
  expect(held.bytes).toBe(40);
  stream.leave();
  stream.hold(80);
  stream.leave();
  expect(held.bytes).toBe(0);
});

it("keeps no stream that has left, even if its holding is kept", async () => {
  const enter = () => {
    const holder = { evict: () => {} };
    const holding = new HeldBytes(160).enter("a", holder);
    holding.leave();
    return { holding, stream: new WeakRef(holder) };
  };
  const { holding, stream } = enter();
  await sleep(0);
  collectGarbage();
  expect(stream.deref()).toBeUndefined();
  expect(holding.bytes).toBe(0);
});
