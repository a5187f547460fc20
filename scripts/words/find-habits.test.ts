import { describe, expect, it } from "vitest";
import { habitsIn } from "./find-habits.ts";

const linesOf = (path: string, ...lines: readonly string[]) =>
  habitsIn(path, lines.join("\n")).map((problem) => problem.split(": ")[0]);

describe("habitsIn", () => {
  it.each([
    "/** Of the cluster. */",
    "// Told when it is over.",
    "/** Answers whether it is gone. */",
    "/** Where states are kept. */",
    "// Whoever reads it sees the end.",
    "// It takes what is none of them.",
    'throw new Error("x is no object");',
    'describe("a text as quantity");',
    "/** Makes one object a replica. */",
    'it("that cannot be read are misuse", () => {',
    'it.each(kinds)("of %s", () => {',
    '  ])("are refused", () => {',
  ])("refuses %s with its line", (line) => {
    expect(linesOf("sdk/a.ts", "const a = 1;", line)).toEqual(["sdk/a.ts:2"]);
  });

  it.each([
    "/** The port of the cluster. */",
    "/** Returns whether it is gone. */",
    "// There is no object.",
    "// It is no longer there, and is no better.",
    "// It writes a text file.",
    "/** Makes one object per replica. */",
    'it("nodes that cannot be read are misuse", () => {',
    'it("without an alias a rename replaces", () => {',
  ])("accepts %s", (line) => {
    expect(linesOf("sdk/a.ts", line)).toEqual([]);
  });

  it("does not treat a continued comment as the start of one", () => {
    expect(
      linesOf("sdk/a.ts", "// The names and ports", "// Of the cluster's Service stay."),
    ).toEqual([]);
    expect(linesOf("sdk/a.ts", "/**", " * Of the cluster.", " */")).toEqual(["sdk/a.ts:2"]);
  });

  it("searches pages for phrases, but not for starts of comments", () => {
    expect(linesOf("docs/a.md", "Of the two, one stays.", "This is no object.")).toEqual([
      "docs/a.md:2",
    ]);
  });
});
