import { expect, it } from "vitest";
import { EventLines } from "./event-lines.ts";

const text = 'é€😀\n{"a":"é"}\n\nlast😀';

/** Returns the lines and the remaining bytes, for chunks of one size. */
function cut(size: number) {
  const bytes = Buffer.from(text);
  const lines = new EventLines();
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at += size)
    found.push(...lines.add(bytes.subarray(at, at + size)).map(String));
  return { found, rest: String(lines.rest) };
}

it.each([1, 2, 3, 5, 7, 100])("EventLines finds the same lines in chunks of %i bytes", (size) => {
  expect(cut(size)).toEqual({ found: ["é€😀", '{"a":"é"}'], rest: "last😀" });
});

it("EventLines has no remaining bytes after a line end", () => {
  const lines = new EventLines();
  expect(lines.add(Buffer.from("a\nb\n")).map(String)).toEqual(["a", "b"]);
  expect(lines.rest).toHaveLength(0);
});
