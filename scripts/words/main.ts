import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, trackedFiles } from "../walls/source-imports.ts";
import { habitsIn } from "./find-habits.ts";

/** Fails where a comment, a text or a page has a habit of `habits.ts`. Rooms named as arguments are looked at alone. */

const rooms = process.argv.slice(2);
const looked = (path: string) =>
  (rooms.length === 0 || rooms.some((room) => path.startsWith(room))) &&
  !path.startsWith("scripts/words/") &&
  !path.startsWith("test/fixtures/");

const problems = trackedFiles("*.ts", "*.md")
  .filter(looked)
  .flatMap((path) => habitsIn(path, readFileSync(join(root, path), "utf8")));
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(
    `${problems.length} sentences to write differently; docs/glossary.md has the terms.`,
  );
  process.exitCode = 1;
}
