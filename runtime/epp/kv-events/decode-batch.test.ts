import { decode, encode } from "@msgpack/msgpack";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBatch, MalformedBatch } from "./decode-batch.ts";
import { shapeProblem } from "./message-pack-shape.ts";

const bytes = (events: unknown, ...rest: unknown[]) =>
  encode([1_795_330_725.83, events, ...rest], { useBigInt64: true });

const decodedEvents = (...events: readonly unknown[]) => decodeBatch(bytes(events, 0)).events;

/** Names and shapes of vLLM 0.32. */
const stored = {
  type: "BlockStored",
  block_hashes: [10_184_588_902_413_521_537n, 9_730_155_614_430_831_860n],
  parent_block_hash: null,
  token_ids: [151_644, 872, 198, 785],
  block_size: 2,
  lora_id: null,
  medium: "GPU",
  lora_name: null,
  extra_keys: [null, null],
  group_idx: 0,
  kv_cache_spec_kind: "full_attention",
};

const low53 = (hash: bigint) => Number(BigInt.asUintN(53, hash));
const hashes = stored.block_hashes.map(low53);

const nested = (times: number, head: readonly number[]) =>
  Buffer.concat([Buffer.of(0x92, 0), Buffer.alloc(times * head.length, Buffer.from(head))]);

describe("batches that would cost more than their bytes", () => {
  it.each([
    ["nested lists of millions of elements", nested(500, [0xdd, 0x01, 0xff, 0xff, 0xff])],
    ["a list longer than the batch", Buffer.of(0x92, 0, 0xdd, 0xff, 0xff, 0xff, 0xff, 0)],
    ["deeply nested lists", nested(1_000_000, [0x91])],
    ["deeply nested maps", nested(100_000, [0x81, 0xa0])],
    [
      "only empty lists",
      Buffer.concat([Buffer.of(0x92, 0, 0xdd, 0, 0x1e, 0x84, 0x80), Buffer.alloc(2_000_000, 0x90)]),
    ],
    [
      "only empty maps",
      Buffer.concat([Buffer.of(0x92, 0, 0xdd, 0, 0x1e, 0x84, 0x80), Buffer.alloc(2_000_000, 0x80)]),
    ],
    [
      "a map of 256 members",
      Buffer.concat([Buffer.of(0x92, 0, 0x91, 0xde, 1, 0), Buffer.alloc(512)]),
    ],
    ["a string longer than the batch", Buffer.of(0x92, 0, 0xdb, 0xff, 0xff, 0xff, 0xff)],
    ["bytes after the batch", Buffer.concat([bytes([]), Buffer.of(0)])],
    ["an empty message", Buffer.alloc(0)],
  ])("decodeBatch rejects %s", (_, payload) => {
    expect(() => decodeBatch(payload)).toThrow(MalformedBatch);
    expect(shapeProblem(payload)).toBeDefined();
  });

  it("shapeProblem rejects every truncated batch, and no valid one", () => {
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(
        fc.string({ maxLength: 300 }),
        fc.maxSafeInteger(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
        fc.double(),
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(null, true, new Date(1e12)),
      ),
      any: fc.oneof({ maxDepth: 5 }, tie("leaf"), tie("list"), tie("map")),
      list: fc.array(tie("any"), { maxLength: 20 }),
      map: fc.dictionary(fc.string(), tie("any"), { maxKeys: 17, noNullPrototype: true }),
    })).any;
    fc.assert(
      fc.property(value, fc.nat(), fc.nat({ max: 255 }), (given, at, byte) => {
        const good = Buffer.from(encode(given, { useBigInt64: true }));
        expect(shapeProblem(good)).toBeUndefined();
        expect(shapeProblem(good.subarray(0, at % good.length))).toBeDefined();
        good[at % good.length] = byte;
        try {
          decode(good, { useBigInt64: true });
        } catch (error) {
          // The contents of strings, keys and times are not checked.
          if (/insufficient|extra|unrecognized/i.test(String(error)))
            expect(shapeProblem(good)).toBeDefined();
        }
      }),
    );
  });
});

describe("decodeBatch", () => {
  it("decodeBatch reads a batch of vLLM 0.32", () => {
    expect(
      decodedEvents(stored, { type: "BlockRemoved", block_hashes: [5], medium: "CPU" }),
    ).toEqual([
      {
        type: "stored",
        hashes,
        parent: undefined,
        tokens: stored.token_ids,
        blockSize: 2,
        adapter: "",
        extra: undefined,
        tier: "gpu",
        group: { index: 0, kind: "full_attention" },
      },
      { type: "removed", hashes: [5], tier: "cpu", groupIndex: 0 },
    ]);
  });

  it("decodeBatch reads the list form of older vLLM versions", () => {
    const { block_hashes, token_ids } = stored;
    const [long, short] = decodedEvents(
      [
        "BlockStored",
        block_hashes,
        7,
        token_ids,
        2,
        3,
        "GPU",
        "sql",
        [["sql", "abc"], null],
        1,
        "mla_attention",
      ],
      ["BlockStored", block_hashes, null, token_ids, 2, 3],
    );
    expect(long).toMatchObject({
      ...{ hashes, parent: 7, adapter: "sql", extra: [["abc"], undefined] },
      group: { index: 1, kind: "mla_attention" },
    });
    expect(short).toMatchObject({
      adapter: "3",
      tier: "gpu",
      group: { index: 0, kind: undefined },
    });
    expect(decodedEvents(["AllBlocksCleared"], ["BlockRemoved", [5], "GPU", 1])).toEqual([
      { type: "cleared" },
      { type: "removed", hashes: [5], tier: "gpu", groupIndex: 1 },
    ]);
  });

  it("decodeBatch reads a batch of SGLang, with signed hashes and the salt as a field", () => {
    const signed = { ...stored, block_hashes: [-3n, 4n], extra_keys: undefined, cache_salt: "abc" };
    expect(decodedEvents(signed)[0]).toMatchObject({
      hashes: [low53(-3n), 4],
      extra: [["abc"]],
    });
    const later = { ...signed, parent_block_hash: -3n, medium: "CPU_PINNED" };
    expect(decodedEvents(later)[0]).toMatchObject({
      parent: low53(-3n),
      extra: undefined,
      tier: "cpu",
    });
  });

  it("a digest and its number give the same hash", () => {
    const digest = Buffer.alloc(32, 0xab);
    const number = digest.readBigUInt64BE(24);
    const [event] = decodedEvents({ ...stored, block_hashes: [digest, number] });
    expect(event).toMatchObject({ hashes: [low53(number), low53(number)] });
  });

  it("blocks with different images or salts have different extra keys", () => {
    const keys = [[["image-1", 3]], ["abc", ["image-2", 0]]];
    expect(decodedEvents({ ...stored, extra_keys: keys })[0]).toMatchObject({
      extra: [['["image-1",3]'], ["abc", '["image-2",0]']],
    });
  });

  it("event types that are unknown are skipped and counted", () => {
    expect(decodeBatch(bytes([{ type: "BlockMoved" }, ["Else", 1], stored]))).toMatchObject({
      unknown: 2,
      events: [{ type: "stored" }],
    });
  });

  it.each<[string, Uint8Array]>([
    ["bytes that are not MessagePack", Buffer.from([0xc1])],
    ["a truncated batch", bytes([stored]).subarray(0, 20)],
    ["an empty message", Buffer.alloc(0)],
    ["a number", encode(1)],
    ["a batch without a list of events", bytes({})],
    ["an event that is a number", bytes([5])],
    ["an event that is null", bytes([null])],
    ["an event without hashes", bytes([{ ...stored, block_hashes: undefined }])],
    ["a hash that is a word", bytes([{ ...stored, block_hashes: ["x"] }])],
    ["a digest that is too short", bytes([{ ...stored, block_hashes: [Buffer.alloc(7)] }])],
    ["tokens that are a word", bytes([{ ...stored, token_ids: "abc" }])],
    ["a block size of 0", bytes([{ ...stored, block_size: 0 }])],
    [
      "the name of a prototype",
      Buffer.from([0x93, 0, 0x91, 0x81, 0xa9, ...Buffer.from("__proto__"), 0, 0]),
    ],
  ])("decodeBatch rejects %s", (_, payload) => {
    expect(() => decodeBatch(payload)).toThrow(MalformedBatch);
  });

  it.each([
    ["an event whose type is a list", [[{ toString: false }], 1]],
    ["an event whose type every object has", ["constructor", 1]],
  ])("decodeBatch skips %s", (_, event) => {
    expect(decodeBatch(bytes([event]))).toEqual({ events: [], unknown: 1 });
  });

  it("tokens that are not numbers become -1", () => {
    const token_ids = [[1, 2], 3, { toString: false }];
    expect(decodeBatch(bytes([{ ...stored, token_ids }])).events).toMatchObject([
      { tokens: [-1, 3, -1] },
    ]);
  });

  it("an adapter id that is not a number is ignored", () => {
    const lora_id = [{ toString: false }];
    expect(decodeBatch(bytes([{ ...stored, lora_name: null, lora_id }])).events).toMatchObject([
      { adapter: "" },
    ]);
  });

  it("decodeBatch reads any input or throws MalformedBatch", () => {
    const value = fc.anything({ withBigInt: false, maxDepth: 3 });
    const event = fc.record({
      type: fc.constantFrom("BlockStored", "BlockRemoved", "AllBlocksCleared"),
      ...Object.fromEntries(
        Object.entries(stored).map(([name, good]) => [name, fc.oneof(fc.constant(good), value)]),
      ),
    });
    const read = (payload: Uint8Array) => {
      try {
        decodeBatch(payload);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedBatch);
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (payload) => read(payload)));
    const encodable = (events: unknown[]): Uint8Array => {
      try {
        return bytes(events);
      } catch {
        return Buffer.alloc(0);
      }
    };
    fc.assert(fc.property(fc.array(event, { maxLength: 3 }), (events) => read(encodable(events))));
  });
});
