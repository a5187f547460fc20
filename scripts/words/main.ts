import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, trackedFiles } from "../walls/source-imports.ts";
import { sentencesOf } from "./areas.ts";
import { habitsIn } from "./find-habits.ts";
import {
  countsFrom,
  countsOf,
  countsText,
  type Hit,
  hitsAbove,
  hitsIn,
  lowered,
  shares,
} from "./ratchet.ts";

/**
 * Fails if a comment, a string or a page has a habit of `habits.ts`, or if an area has more hits of a rule of
 * `strict.ts` than `allowed.txt` allows. Folders or files given as arguments limit the habits that are reported.
 *
 *     --list AREA   prints the hits of every area that starts with AREA, as `file:line rule sentence`
 *     --table       prints sentences and sentences with a hit, by area
 *     --sample N    prints N sentences that users read, always the same for the same text
 *     --write       lowers the counts in allowed.txt to the present ones; never raises one
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "string" },
    table: { type: "boolean" },
    write: { type: "boolean" },
    sample: { type: "string" },
  },
});

const allowedFile = join(root, "scripts/words/allowed.txt");
const files = trackedFiles("*.ts", "*.md")
  .filter((path) => !/^(scripts\/words|test\/fixtures)\//.test(path))
  .map((path) => [path, readFileSync(join(root, path), "utf8")] as const);
const sentences = files.flatMap(([path, text]) => sentencesOf(path, text));
const hits = hitsIn(sentences);

if (values.list !== undefined) print(hits.filter(({ area }) => area.startsWith(`${values.list}`)));
else if (values.table) for (const row of shares(sentences, hits)) console.log(row);
else if (values.sample !== undefined) sample(Number(values.sample));
else if (values.write) writeLowered();
else check();

function print(found: readonly Hit[]): void {
  for (const { path, line, rule, text } of found)
    console.log(`${path}:${line} ${rule.name} ${text}`);
}

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

function writeLowered(): void {
  const present = countsOf(hits);
  const counts = existsSync(allowedFile)
    ? lowered(countsFrom(readFileSync(allowedFile, "utf8")), present)
    : present;
  writeFileSync(allowedFile, countsText(counts));
}

function check(): void {
  const looked = files.filter(
    ([path]) => positionals.length === 0 || positionals.some((each) => path.startsWith(each)),
  );
  const habits = looked.flatMap(([path, text]) => habitsIn(path, text));
  for (const problem of habits) console.error(problem);
  const above = hitsAbove(hits, countsFrom(readFileSync(allowedFile, "utf8")));
  const fresh = freshAmong(above);
  for (const { path, line, area, text, rule } of fresh.length > 0 ? fresh : above)
    console.error(`${path}:${line}: ${text}\n  ${area}, ${rule.name}: write ${rule.instead}`);
  if (habits.length + above.length === 0) return;
  console.error("Rewrite these sentences; docs/glossary.md has the terms.");
  process.exitCode = 1;
}

/** Returns the hits that are not in HEAD. */
function freshAmong(above: readonly Hit[]): Hit[] {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const changed = git("diff", "--name-only", "--diff-filter=MD", "HEAD", "--", "*.ts", "*.md");
  const before = changed
    .split("\n")
    .filter((path) => path !== "")
    .flatMap((path) => hitsIn(sentencesOf(path, git("show", `HEAD:${path}`))));
  const isChanged = new Set([
    ...changed.split("\n"),
    ...git("ls-files", "-o", "--exclude-standard").split("\n"),
  ]);
  const had = new Set(before.map(({ rule, text }) => `${rule.name} ${text}`));
  return above.filter(
    ({ path, rule, text }) => isChanged.has(path) && !had.has(`${rule.name} ${text}`),
  );
}
