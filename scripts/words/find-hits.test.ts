import { describe, expect, it } from "vitest";
import { sentencesOf } from "./areas.ts";
import { hitsIn } from "./find-hits.ts";

const hitsOf = (path: string, ...lines: readonly string[]) =>
  hitsIn(sentencesOf(path, lines.join("\n"))).map(
    ({ line, area, rule }) => `${area}:${line} ${rule.name}`,
  );

const page = ["One waits.", "", "It waits in place of", "the other."];

describe("hitsIn", () => {
  it.each([
    ["docs/a.md", page, "docs:3 in-place-of"],
    ["docs/decisions/0001-a.md", page, "decisions:3 in-place-of"],
    ["CHANGELOG.md", ["- One waits.", "- What it waits for ends."], "changelog:2 clause-start"],
    ["README.md", ["| a | b |", "|---|---|", "| x | it waits for ever |"], "readme:3 archaic"],
    ["cli/a.ts", ["/** One waits. Nobody reads it. */"], "comments/cli:1 nobody"],
    ["cli/a.ts", ["const a = 1; // One waits", "// for what is read."], "comments/cli:1 of-what"],
    [
      "cli/a.ts",
      ["throw new Error(", "`$" + "{x} is refused, where a ` + y);"],
      "texts/cli:2 where-as-if",
    ],
    [
      "cli/a.ts",
      ["z.string().describe('The port that tells them apart')"],
      "docstrings:1 data-speaks",
    ],
    [
      "sdk/spec/a.ts",
      ["export interface A {", "/** The port beside it. */", "b: 1 }"],
      "docstrings:2 beside",
    ],
    [
      "sdk/spec/a.ts",
      ["interface A {", "/** The port beside it. */", "b: 1 }"],
      "comments/sdk:2 beside",
    ],
    [
      "sdk/a.test.ts",
      ["it.each([1])('%s hears of it', () => {", "x('nobody is counted');"],
      "titles/sdk:1 data-speaks",
    ],
    ["cli/a.ts", ["/** A name longer than the server's. */"], "comments/cli:1 bare-possessive"],
    ["cli/a.ts", ["// The port (default: the Service's)"], "comments/cli:1 bare-possessive"],
    ["cli/a.ts", ["/** A bundle, as the image has it. */"], "comments/cli:1 as-has-it"],
    ["cli/a.ts", ["/** Most bytes that a patch may add. */"], "comments/cli:1 most-that"],
    ["cli/a.ts", ["/** The objects that decide about pods. */"], "comments/cli:1 decides-about"],
    ["cli/a.ts", ["// At first, nothing is known of its slots."], "comments/cli:1 nothing-of"],
    ["cli/a.ts", ["// Each is used, and none is one too many."], "comments/cli:1 archaic"],
  ])("finds in %s %j the hit %s", (path, lines, hit) => {
    expect(hitsOf(path, ...lines)).toEqual([hit]);
  });

  it.each([
    ["docs/a.md", ["```", "it waits for ever", "```", "It has `in place of` in code."]],
    ["docs/rules.md", page],
    [
      "docs/a.md",
      ["<!-- table of rows, made by npm run generate -->", ...page, "<!-- end of rows -->"],
    ],
    ["bench/a.ts", ["print('it waits for ever')"]],
    ["sdk/a.ts", ["const url = 'http://nobody.x/a b c';"]],
    [
      "sdk/a.ts",
      [
        "/** Most of the names that a preview knows. */",
        "// The pool's port equals the role's port.",
      ],
    ],
  ])("finds no hit in %s %j", (path, lines) => {
    expect(hitsOf(path, ...lines)).toEqual([]);
  });
});
