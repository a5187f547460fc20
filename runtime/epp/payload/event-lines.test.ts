import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLines } from "./event-lines.ts";

const chunksWithEvents = (...chunks: string[]) => {
  const lines = new EventLines();
  return chunks.map((chunk) => lines.push(Buffer.from(chunk, "latin1")));
};

describe("EventLines", () => {
  it.each<[title: string, chunks: string[], holds: boolean[]]>([
    ["an event", ["data: 1\n\n"], [true]],
    ["a comment", [": keep-alive\n\n", ": keep-alive\r\n\r\n"], [false, false]],
    ["an empty comment", [":\n"], [false]],
    ["a comment before an event", [": k\n\ndata: 1\n\n"], [true]],
    ["a comment after an event", ["data: 1\n\n: k", "eep\n", "data: 2\n"], [true, false, true]],
    [
      "a comment in pieces",
      [":", " keep", "-alive", "\n", "\n"],
      [false, false, false, false, false],
    ],
    ["an event in pieces", ["d", "ata: 1", "\n", "\n"], [true, true, false, false]],
    ["an event with a colon at the start of a piece", ["data", ": 1\n"], [true, true]],
    ["lines that end with a carriage return", [": k\rdata: 1\r", ": k\r"], [true, false]],
    [
      "a comment whose line end is in pieces",
      [": k\r", "\n", "data: 1\r", "\n: k"],
      [false, false, true, false],
    ],
    ["other fields", ["event: ping\n"], [true]],
    ["no bytes", [""], [false]],
    ["binary bytes", ["\x00\xff"], [true]],
  ])("reads %s", (_, chunks, holds) => {
    expect(chunksWithEvents(...chunks)).toEqual(holds);
  });

  it("reads any stream like a reader of whole lines", () => {
    const piece = fc.array(fc.constantFrom(":", "d", "a", " ", "\n", "\r"), { maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(
          piece.map((parts) => parts.join("")),
          { maxLength: 8 },
        ),
        (chunks) => {
          let text = "";
          const expected = chunks.map((chunk) => {
            const from = text.length;
            text += chunk;
            let at = 0;
            return text.split(/[\n\r]/).some((line) => {
              const [start, end] = [at, at + line.length];
              at = end + 1;
              return !line.startsWith(":") && end > Math.max(start, from);
            });
          });
          expect(chunksWithEvents(...chunks)).toEqual(expected);
        },
      ),
    );
  });

  it("reads a megabyte of comments in one pass", () => {
    const lines = new EventLines();
    const began = performance.now();
    expect(lines.push(Buffer.from(":\n".repeat(500_000)))).toBe(false);
    expect(lines.push(Buffer.from(`data: ${"x".repeat(1_000_000)}`))).toBe(true);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
