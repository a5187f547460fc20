import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockTable } from "./block-table.ts";
import { EngineBlocks } from "./engine-blocks.ts";
import type { BlockStored, KvEvent } from "./kv-event.ts";

const seed = 1;
const size = 4;
const tokens = (...starts: number[]) => starts.flatMap((start) => [start, start + 1, 7, 151_935]);

const stored = (change: Partial<BlockStored> = {}): BlockStored => ({
  type: "stored",
  hashes: [11, 12],
  parent: undefined,
  tokens: tokens(1, 2),
  blockSize: size,
  adapter: "",
  extra: undefined,
  tier: "gpu",
  group: { index: 0, kind: "full_attention" },
  ...change,
});

function blocksOf(...events: readonly KvEvent[]): EngineBlocks {
  const blocks = new EngineBlocks(seed, 100);
  for (const event of events) blocks.apply(event);
  return blocks;
}

interface Asked {
  readonly starts?: readonly number[];
  readonly adapter?: string;
  readonly cacheSalt?: string;
  readonly weights?: readonly number[];
}

const found = (
  blocks: EngineBlocks,
  { starts = [1, 2, 3], adapter = "", cacheSalt = "", weights = [1, 0.8, 0.5] }: Asked = {},
) =>
  blocks.run(blocks.keysOf({ tokens: [...tokens(...starts), 9], adapter, cacheSalt }, 99), weights);

describe("EngineBlocks", () => {
  it.each<[string, readonly KvEvent[], Asked, number]>([
    ["no events", [], {}, 0],
    ["a run from the start", [stored()], {}, 2],
    ["another prompt", [stored()], { starts: [1, 3] }, 1],
    ["another beginning", [stored()], { starts: [3, 2] }, 0],
    [
      "a block after a known block",
      [stored(), stored({ hashes: [13], parent: 12, tokens: tokens(3) })],
      {},
      3,
    ],
    [
      "a block after an unknown block",
      [stored(), stored({ hashes: [13], parent: 99, tokens: tokens(3) })],
      {},
      2,
    ],
    ["a removed first block", [stored(), removed([11])], {}, 0],
    ["a removed last block", [stored(), removed([12])], {}, 1],
    [
      "a removed block that was stored again",
      [stored(), removed([11]), stored({ hashes: [11], tokens: tokens(1) })],
      {},
      2,
    ],
    ["a cleared cache", [stored(), { type: "cleared" }], {}, 0],
    ["blocks stored twice, one removed once", [stored(), stored(), removed([12])], {}, 1],
    ["blocks of an adapter, for the base model", [stored({ adapter: "sql" })], {}, 0],
    ["blocks of an adapter", [stored({ adapter: "sql" })], { adapter: "sql" }, 2],
    ["blocks with a cache salt, for a request without one", [salted()], {}, 0],
    ["blocks with a cache salt, for a request with another", [salted()], { cacheSalt: "abd" }, 0],
    ["blocks with a cache salt", [salted()], { cacheSalt: "abc" }, 2],
    ["blocks in host memory", [stored({ tier: "cpu" })], {}, 1.6],
    ["blocks that moved to host memory", [stored(), moved([11, 12]), removed([11, 12])], {}, 1.6],
    ["blocks in GPU and host memory", [stored(), moved([11, 12])], {}, 2],
    ["sliding window blocks", [stored({ group: { index: 1, kind: "sliding_window" } })], {}, 0],
    [
      "removed sliding window blocks next to others",
      [stored(), { ...removed([11, 12]), groupIndex: 1 }],
      {},
      2,
    ],
    [
      "blocks of another size",
      [stored(), stored({ hashes: [13], parent: 12, tokens: [5, 5], blockSize: 2 })],
      {},
      2,
    ],
    ["tokens that do not fill the blocks", [stored({ tokens: tokens(1) })], {}, 0],
  ])("finds the cached blocks: %s", (_, events, asked, expected) => {
    expect(found(blocksOf(...events), asked)).toBe(expected);
  });

  it("counts the blocks that it could not use", () => {
    const blocks = blocksOf(
      stored(),
      stored({ parent: 99, hashes: [13], tokens: tokens(3) }),
      stored({ group: { index: 1, kind: "sliding_window" } }),
      stored({ blockSize: 8, hashes: [14], tokens: [...tokens(1), ...tokens(2)] }),
    );
    expect(blocks.unused).toEqual({ unresolved: 1, otherGroups: 2, otherSizes: 1 });
    expect([...blocks.otherKinds]).toEqual(["sliding_window"]);
  });

  it("excludes the block that an engine computes in any case", () => {
    const blocks = blocksOf(stored());
    const keys = blocks.keysOf({ tokens: tokens(1, 2), adapter: "", cacheSalt: "" }, 99);
    expect(keys).toHaveLength(1);
  });

  it("stays within its capacity, and keeps the start of used prompts", () => {
    const blocks = new EngineBlocks(seed, 64);
    blocks.apply(stored());
    const used = blocks.keysOf({ tokens: [...tokens(1, 2), 9], adapter: "", cacheSalt: "" }, 99);
    for (let at = 0; at < 10_000; at += 1) {
      blocks.apply(stored({ hashes: [1000 + at], tokens: tokens(at + 10) }));
      if (at % 50 === 0) blocks.touch(used);
      expect(blocks.size).toBeLessThanOrEqual(64);
    }
    expect(found(blocks)).toBe(2);
    expect(blocks.bytes).toBeLessThan(64 * 60);
  });
});

describe("EngineBlocks with a malicious engine", () => {
  const many = 100_000;
  const numbers = Array.from({ length: many }, (_, at) => at);
  const ofOne = { blockSize: 1, tokens: numbers };

  /** CPU time of storing and removing blocks, in microseconds. Other processes do not add to it. */
  function costOf(hashOf: (at: number) => number): number {
    const blocks = new EngineBlocks(seed, many);
    const hashes = numbers.map(hashOf);
    const before = process.cpuUsage();
    blocks.apply(stored({ hashes, ...ofOne }));
    expect(blocks.size).toBe(many);
    blocks.apply(removed(hashes.toReversed()));
    expect(blocks.size).toBe(0);
    return Math.max(10_000, process.cpuUsage(before).user);
  }

  it("is not slowed down by colliding hashes", () => {
    costOf((at) => at);
    const usual = costOf((at) => at);
    // Without a secret seed, it takes 1,000 times as long.
    expect(costOf((at) => at * 2 ** 36) / usual).toBeLessThan(100);
    expect(costOf((at) => (at % 64) + Math.floor(at / 64) * 2 ** 42) / usual).toBeLessThan(100);
  });

  it("contains a block once, whatever hashes the engine gives it", () => {
    const blocks = new EngineBlocks(seed, many);
    for (const hash of numbers) blocks.apply(stored({ hashes: [hash], tokens: [7], blockSize: 1 }));
    expect(blocks.size).toBe(1);
    blocks.apply(removed([many - 1]));
    expect(blocks.size).toBe(0);
  });

  it("limits the names of adapters and layer kinds", () => {
    const blocks = blocksOf(stored({ adapter: "a".repeat(257) }));
    for (let at = 0; at < 2_000; at += 1) {
      blocks.apply(stored({ adapter: `a${at}` }));
      blocks.apply(stored({ group: { index: 1, kind: `kind ${at}` } }));
    }
    expect([blocks.knowsAdapter("a0"), blocks.knowsAdapter("a1999")]).toEqual([true, false]);
    expect(blocks.knowsAdapter("a".repeat(257))).toBe(false);
    expect(blocks.otherKinds.size).toBe(16);
  });

  it("ignores blocks of an impossible size", () => {
    const blocks = blocksOf(
      stored({ blockSize: 5_000, hashes: [1], tokens: Array(5_000).fill(1) }),
    );
    expect([blocks.blockSize, blocks.size]).toEqual([undefined, 0]);
    blocks.apply(stored());
    expect(found(blocks)).toBe(2);
  });
});

describe("BlockTable", () => {
  it("behaves like two maps", () => {
    const operations = fc.array(
      fc.record({
        do: fc.constantFrom("add", "delete", "touch", "clear", "shrink", "widen"),
        hash: fc.integer({ min: 0, max: 40 }),
      }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(operations, (script) => {
        const table = new BlockTable(16);
        /** Least recently used first. */
        let model: number[] = [];
        for (const { do: step, hash } of script) {
          const slot = table.ofHash(hash);
          expect(slot !== 0).toBe(model.includes(hash));
          if (step === "add" && slot === 0) {
            table.add(hash, hash * 2 ** 40 + 1);
            model.push(hash);
          } else if (step === "delete" && slot !== 0) {
            table.delete(slot);
            model = model.filter((each) => each !== hash);
          } else if (step === "touch" && slot !== 0) {
            table.touch(slot);
            model = [...model.filter((each) => each !== hash), hash];
          } else if (step === "clear" && hash < 4) {
            table.clear();
            model = [];
          } else if (step === "shrink") table.capacity = 8;
          else if (step === "widen") table.capacity = 16;
          while (model.length > table.capacity) model.shift();
          expect(table.size).toBe(model.length);
          for (const each of model) {
            expect(table.ofKey(each * 2 ** 40 + 1)).toBe(table.ofHash(each));
            expect(table.ofHash(each)).not.toBe(0);
          }
        }
      }),
    );
  });
});

function removed(hashes: number[]) {
  return { type: "removed", hashes, tier: "gpu", groupIndex: 0 } as const;
}

function moved(hashes: number[]): BlockStored {
  return stored({ hashes, tokens: [], tier: "cpu" });
}

function salted(): BlockStored {
  return stored({ extra: [["abc"], undefined] });
}
