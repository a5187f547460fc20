import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../../testing/repository.ts";

const files: Readonly<Record<string, string>> = {
  python: "python/__main__.py",
  go: "go/main.go",
  yaml: "yaml/Pulumi.yaml",
  java: "java/src/main/java/app/App.java",
};

/** Lines without indentation, which differs between a page and a program. */
const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");

const blocks = globSync("docs/languages/*.md", { cwd: repositoryRoot }).flatMap((page) => {
  const text = readFileSync(join(repositoryRoot, page), "utf8");
  return [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter(([, language]) => language !== "sh")
    .map(([, language = "", code = ""]) => ({ page, language, code }));
});

it("each page of a language has a program", () => {
  expect(blocks.map(({ language }) => language).sort()).toEqual(Object.keys(files).sort());
});

it.each(blocks)("$page shows a part of its example", ({ language, code }) => {
  const example = join(repositoryRoot, "examples/languages", files[language] ?? "");
  expect(lines(readFileSync(example, "utf8"))).toContain(lines(code));
});
