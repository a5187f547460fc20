import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { repositoryRoot } from "../../testing/repository.ts";
import { pageText } from "./markdown.ts";

/** Returns problems with a page's links to files and headings of this repository, one line each. */
export function linkProblems(page: string, text = pageText(page)): string[] {
  return linksOf(text).flatMap(({ line, target }) => {
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), path));
    const problem = file === page ? headingProblem(text, anchor) : problemOf(file, anchor);
    return problem === undefined ? [] : [`${page}:${line}: ${target}: ${problem}`];
  });
}

function problemOf(file: string, anchor: string | undefined): string | undefined {
  const path = join(repositoryRoot, file);
  if (!existsSync(path)) return "there is no such file";
  if (anchor === undefined || statSync(path).isDirectory() || !file.endsWith(".md"))
    return undefined;
  return headingProblem(pageText(file), anchor);
}

const headingProblem = (text: string, anchor: string | undefined) =>
  anchor === undefined || headingAnchors(text).has(anchor) ? undefined : "there is no such heading";

/** Links outside of code, to this repository. */
function linksOf(text: string): Array<{ line: number; target: string }> {
  return withoutCode(text)
    .split("\n")
    .flatMap((line, at) =>
      [...line.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => ({ line: at + 1, target })),
    )
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** Lines keep their numbers. */
const withoutCode = (text: string) =>
  text
    .replace(/^ {0,3}(`{3,})[^\n]*\n[\s\S]*?^ {0,3}\1 *$/gm, (block) => block.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, "");

/** Anchors as GitHub makes them: lower case, punctuation gone, spaces as dashes, repeats numbered. */
function headingAnchors(text: string): Set<string> {
  const anchors = new Set<string>();
  const plain = text.replace(/^ {0,3}(`{3,})[^\n]*\n[\s\S]*?^ {0,3}\1 *$/gm, "");
  for (const [, heading = ""] of plain.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const base = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/ /g, "-");
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${base}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
