import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { repositoryRoot } from "../../testing/repository.ts";
import { table } from "./table.ts";

/**
 * Returns the table of examples/README.md: each example with the first sentence of its README, the quickstart first.
 */
export function examplesTable(): string[] {
  const root = repositoryRoot;
  const folders = globSync("*/README.md", { cwd: join(root, "examples") })
    .map((path) => basename(dirname(path)))
    .sort((a, b) => Number(b === first) - Number(a === first) || (a < b ? -1 : 1));
  const rows = folders.map((folder) => {
    const text = readFileSync(join(root, "examples", folder, "README.md"), "utf8");
    const [, title, sentence] = /^# (.+)\n\n([\s\S]+?[.:])\s/.exec(text) ?? [];
    if (title === undefined || sentence === undefined)
      throw new Error(`examples/${folder}/README.md does not begin with a title and a sentence`);
    return [`[${title}](${folder})`, sentence.replaceAll("\n", " ").replace(/:$/, ".")];
  });
  return table(["Example", ""], rows);
}

const first = "quickstart";
