import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventHeadOf } from "./event-head.ts";

const headOf = (event: unknown) => eventHeadOf(Buffer.from(JSON.stringify(event)));

const metadata = { name: "a", namespace: "n", uid: "u", resourceVersion: "7", generation: 3 };

describe("eventHeadOf", () => {
  it("returns the object's identity and versions, even if other members have the same names", () => {
    const trap = { name: "b", uid: "c", resourceVersion: "1", metadata: { name: "d" } };
    const object = {
      apiVersion: "v1",
      metadata: {
        annotations: { name: "e", 'quote"': '","name":"f\\', uid: "g" },
        managedFields: [{ fieldsV1: trap, time: null }],
        ...metadata,
        ownerReferences: [trap],
      },
      spec: trap,
    };
    expect(headOf({ type: "MODIFIED", object })).toEqual({ type: "MODIFIED", metadata });
  });

  it("equals the head of the parsed event, for any members before and after", () => {
    const other = fc.dictionary(
      fc.string().filter((name) => !["metadata", "type", "object", "__proto__"].includes(name)),
      fc.jsonValue(),
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(other, other, other, (before, inside, after) => {
        const meta = { labels: inside, ...metadata };
        const event = { type: "ADDED", object: { ...before, metadata: meta, status: after } };
        expect(headOf(event)).toEqual({ type: "ADDED", metadata });
      }),
    );
  });

  it.each([
    ["no object", "null"],
    ["half an event", '{"type":"ADDED","object":{"metadata":{"name":"a'],
    ["no name", '{"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}}'],
    ["no version", '{"type":"ADDED","object":{"metadata":{"name":"a"}}}'],
    ["an error", '{"type":"ERROR","object":{"metadata":{"name":"a","resourceVersion":"1"}}}'],
    ["a number for the name", '{"type":"ADDED","object":{"metadata":{"name":1}}}'],
    ["spaces", '{ "type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}}'],
    ["backslashes", `{"type":"${"\\".repeat(1_001)}`],
    ["closing brackets", "}".repeat(1_000)],
    ["nothing", ""],
  ])("returns undefined for %s", (_, text) => {
    expect(eventHeadOf(Buffer.from(text))).toBeUndefined();
  });
});
