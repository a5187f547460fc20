import { describe, expect, it } from "vitest";
import { snippetsOf } from "./markdown.ts";
import { documentedPrograms } from "./programs.ts";

const page = ["# Page", "", "```ts", "const a = 1;", "```", "", "```sh", "ls", "```", ""];

describe("blocks of a page", () => {
  it("each block of a page is read with its language, the other words of its opening fence, and its line number", () => {
    const text = [...page, "````md x=1 y", "```ts", "```", "````"].join("\n");
    expect(snippetsOf("p.md", text)).toEqual([
      { page: "p.md", line: 4, language: "ts", words: [], text: "const a = 1;\n" },
      { page: "p.md", line: 8, language: "sh", words: [], text: "ls\n" },
      { page: "p.md", line: 12, language: "md", words: ["x=1", "y"], text: "```ts\n```\n" },
    ]);
  });

  it("blocks of a page are closed", () => {
    expect(() => snippetsOf("p.md", "```ts\nconst a = 1;")).toThrow("p.md:2: the block has no");
  });
});

describe("programs of a page", () => {
  const programs = (...lines: string[]) =>
    documentedPrograms(
      snippetsOf("p.md", [...page, ...lines].join("\n")).filter(
        ({ language }) => language === "ts",
      ),
    );

  it("programs of a page include the blocks that continue them, with the place of each line", () => {
    const [only, ...others] = programs("```ts continues", "use(a);", "```");
    expect(others).toEqual([]);
    expect(only?.text).toBe("const a = 1;\nuse(a);\n");
    expect([1, 2].map((line) => only?.placeOf(line))).toEqual(["p.md:4", "p.md:12"]);
  });

  it("programs of a page are refused for an unknown word, and for a continuation without a block above", () => {
    expect(() => programs("```ts skip", "```")).toThrow("p.md:12: `ts skip`; allowed: continues, ");
    const alone = snippetsOf("p.md", "```ts continues\n```");
    expect(() => documentedPrograms(alone)).toThrow("p.md:2: there is no block above");
  });
});
