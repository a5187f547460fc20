import { existsSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { programOf } from "../../cli/program.ts";
import { isOwnDocument, planDocument } from "../../sdk/plan/document.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { matrix } from "../lanes/matrix.ts";
import { commandsOf, ownArguments, scriptOf } from "./commands.ts";
import { linkProblems } from "./links.ts";
import { allSnippets, pages, pageText, place, snippetsOf } from "./markdown.ts";

/** README and docs besides TypeScript: links, manifests, commands. */

it.each(pages())("%s has no broken link", (page) => {
  expect(linkProblems(page)).toEqual([]);
});

it("a broken link is reported with its line", () => {
  const text = "# A B\n[x](#a-b) [y](#c)\n`[z](q)`\n[q](nowhere.md) [r](https://host/)\n";
  expect(linkProblems("README.md", text)).toEqual([
    "README.md:2: #c: there is no such heading",
    "README.md:4: nowhere.md: there is no such file",
  ]);
});

describe("tests that a page names", () => {
  it.each(pages())("%s: the files exist", (page) => {
    const named = [...pageText(page).matchAll(/`([a-z-]+\/[\w./-]*\.test\.ts)`/g)];
    const missing = named.flatMap(([, path = ""]) => (isFile(path) ? [] : path));
    expect(missing).toEqual([]);
  });

  it.each(pages())("%s: the commands run them in the lane that contains them", (page) => {
    const commands = [...pageText(page).matchAll(/(npx vitest run|npm test matrix --) ([^`\n]*)/g)];
    const wrong = commands.flatMap(([command, program, files = ""]) => {
      const named = files.split(" ").filter((path) => isFile(path) && path.endsWith(".test.ts"));
      const isInMatrix = (path: string) => matrix.some((glob) => matchesGlob(path, glob));
      return named.every((path) => isInMatrix(path) === (program !== "npx vitest run"))
        ? []
        : command;
    });
    expect(wrong).toEqual([]);
  });

  it("docs/security.md names at least one test of each top folder", () => {
    const text = pageText("docs/security.md");
    for (const folder of ["cli", "recorder", "runtime", "scheduling", "sdk", "test"])
      expect(text).toMatch(new RegExp(`\`${folder}/[\\w./-]*\\.test\\.ts\``));
  });
});

const isFile = (path: string) => existsSync(join(repositoryRoot, path));

describe("languages of blocks", () => {
  // languages.test.ts checks the blocks of Python, Go and Java.
  const known = ["", "ts", "js", "sh", "console", "yaml", "json", "dockerfile", "promql"].concat([
    "python",
    "go",
    "java",
  ]);
  it.each(pages())("every code block of %s has a checked language", (page) => {
    const languages = snippetsOf(page).map(({ language }) => language);
    expect(languages.filter((language) => !known.includes(language))).toEqual([]);
  });
});

it("every JSON block is JSON", () => {
  for (const snippet of allSnippets("json")) {
    expect(() => JSON.parse(snippet.text), place(snippet)).not.toThrow();
  }
});

it("every YAML block is YAML, and documents of this project's kinds can be planned", () => {
  const problems = allSnippets("yaml").flatMap((snippet) =>
    parseAllDocuments(snippet.text).flatMap((document) => {
      const [error] = document.errors;
      return (error?.message ?? planProblem(document.toJS())) === undefined
        ? []
        : [`${place(snippet)}: ${error?.message ?? planProblem(document.toJS())}`];
    }),
  );
  expect(problems).toEqual([]);
});

function planProblem(document: unknown): string | undefined {
  const { apiVersion, kind } = (document ?? {}) as { apiVersion?: string; kind?: string };
  if (apiVersion === undefined || kind === undefined) return undefined;
  if (!isOwnDocument({ apiVersion, kind })) return undefined;
  try {
    planDocument(document);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the command line's error for arguments, before it runs anything; undefined if they are valid. */
async function misuseOf(args: readonly string[]): Promise<string | undefined> {
  let said = "";
  const output = {
    write(text: string) {
      said += text;
    },
    colour: false,
  };
  const terminal = { out: output, err: output, readStdin: async () => "" };
  try {
    await programOf(terminal, async () => {}).parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    return (error as { exitCode?: number }).exitCode === 0 ? undefined : said;
  }
}

describe("commands", () => {
  const commands = allSnippets("sh", "console").flatMap(commandsOf);

  it("every npm command is a script in package.json", () => {
    const scripts = commands.map(({ place, words }) => ({ place, ...scriptOf(words) }));
    expect(scripts.filter(({ exists }) => exists).length).toBeGreaterThan(5);
    expect(scripts.filter(({ exists }) => exists === false)).toEqual([]);
  });

  it("every command of this project has valid options and arguments", async () => {
    const own = commands.flatMap(({ place, words }) => {
      const args = ownArguments(words);
      return args === undefined ? [] : [{ place, args }];
    });
    expect(own.length).toBeGreaterThan(10);
    const problems = await Promise.all(
      own.map(async ({ place, args }) => {
        const problem = await misuseOf(args);
        return problem === undefined ? [] : [`${place}: ${problem}`];
      }),
    );
    expect(problems.flat()).toEqual([]);
  });
});
