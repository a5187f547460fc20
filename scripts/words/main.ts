import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, trackedFiles } from "../walls/source-imports.ts";
import { sentencesOf } from "./areas.ts";
import { habitsIn } from "./find-habits.ts";
import { hitsIn } from "./find-hits.ts";

/**
 * Fails if a comment, a string or a page has a habit of `habits.ts`, or if a sentence matches a rule of `strict.ts`.
 * Paths given as arguments limit the files that are read.
 *
 *     --sample N    prints N sentences that users read, always the same for the same text
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string" } },
});

const files = trackedFiles("*.ts", "*.md")
  .filter((path) => !/^(scripts\/words|test\/fixtures)\//.test(path))
  .filter((path) => positionals.length === 0 || positionals.some((each) => path.startsWith(each)))
  .map((path) => [path, readFileSync(join(root, path), "utf8")] as const);
const sentences = files.flatMap(([path, text]) => sentencesOf(path, text));

if (values.sample !== undefined) sample(Number(values.sample));
else check();

function sample(number: number): void {
  const forUsers = /^(texts|readme|docs|docstrings|changelog|contributing|examples)\b/;
  const forReading = sentences.filter(
    ({ area, path, text }) =>
      forUsers.test(area) && !path.endsWith(".cases.ts") && text.split(/\s+/).length > 5,
  );
  const drawn = [...new Map(forReading.map((sentence) => [hashOf(sentence.text), sentence]))]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, number);
  for (const [, { area, path, line, text }] of drawn)
    console.log(`${area} ${path}:${line} ${text}`);
}

function hashOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

function check(): void {
  const problems = [
    ...files.flatMap(([path, text]) => habitsIn(path, text)),
    ...hitsIn(sentences).map(
      ({ path, line, text, rule }) =>
        `${path}:${line}: ${text}\n  ${rule.name}: write ${rule.instead}`,
    ),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) return;
  console.error("Rewrite these sentences; docs/glossary.md has the terms.");
  process.exitCode = 1;
}
