import { expect, it } from "vitest";
import { ShortText } from "./short-text.ts";

it("ShortText finds the same index as indexOf", () => {
  for (const text of ["a", "ab", "aab", "abab", '"usage"'])
    for (let seed = 0; seed < 4_096; seed += 1) {
      const letters = [...seed.toString(4)].map(
        (digit) => text[Number(digit) % text.length] ?? "x",
      );
      const bytes = Buffer.from(
        `${letters.join("")}${seed % 3 === 0 ? text : ""}${letters.join("x")}`,
      );
      for (const from of [0, 1, 5])
        expect(new ShortText(text).find(bytes, from)).toBe(bytes.indexOf(text, from));
    }
});

it("a short text is not found in bytes that are not ASCII", () => {
  const all = Buffer.from(Array.from({ length: 1_024 }, (_, at) => 128 + (at % 128)));
  expect(new ShortText('"usage"').find(all, 0)).toBe(-1);
});
