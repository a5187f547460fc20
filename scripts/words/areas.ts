import { codeProse } from "./code-prose.ts";
import { markdownProse } from "./markdown-prose.ts";
import { type Sentence, sentencesIn } from "./sentences.ts";

/** Pages that `npm run generate` writes from strings in code. The strings are counted in the code. */
const generatedPages =
  /^docs\/(reference\/|(rules|policies|limits|picker-metrics|endpoint-picker-plugins|pod-plugins-built-in)\.md$)/;

/** Files that are generated, or that contain the searched words. */
const leftOut = /^(components\/generated\/|scripts\/words\/|test\/fixtures\/)/;

/** Areas of pages outside `docs`. */
const pages: Readonly<Record<string, string>> = {
  "README.md": "readme",
  "CHANGELOG.md": "changelog",
  "CONTRIBUTING.md": "contributing",
  "SECURITY.md": "docs",
};

/** Programs that users never run: their strings are not counted. */
const insideFolders = ["bench", "scripts", "test", "testing"];

/** Scripts whose strings become pages. */
const pageScripts = /^scripts\/(\w+-)*(page|pages|table|tables|index)\.ts$/;

/** Returns every counted sentence of a file, each with its area. */
export function sentencesOf(path: string, text: string): Sentence[] {
  const prose = path.endsWith(".md") ? ofPage(path, text) : ofCode(path, text);
  return prose.flatMap((each) => sentencesIn(path, each));
}

function ofPage(path: string, text: string) {
  if (generatedPages.test(path) || leftOut.test(path)) return [];
  const decisions = path.startsWith("docs/decisions/") ? "decisions" : undefined;
  const examples = path.startsWith("examples/") ? "examples" : undefined;
  return markdownProse(pages[path] ?? decisions ?? examples ?? "docs", text);
}

function ofCode(path: string, text: string) {
  if (leftOut.test(path)) return [];
  const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : "root";
  const isTest = /\.(test|soak)\.ts$/.test(path);
  const isPublic = /^(components|sdk\/spec)\//.test(path) && !isTest;
  const isInside = isTest || (insideFolders.includes(folder) && !pageScripts.test(path));
  const areas = {
    comments: `comments/${folder}`,
    docs: isPublic ? "docstrings" : `comments/${folder}`,
    texts: isInside ? undefined : `texts/${folder}`,
    descriptions: "docstrings",
    titles: isTest ? `titles/${folder}` : undefined,
  };
  return codeProse(areas, path, text);
}
