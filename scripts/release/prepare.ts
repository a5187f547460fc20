import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../../sdk/version.ts";
import { sectionOf } from "./changelog.ts";
import { asPublished } from "./published.ts";
import { makeSbom, sbomProblems } from "./sbom.ts";

/**
 * Prepares a release before anything is pushed: it checks that all versions are the same, and writes the notes, an
 * SBOM, and a package that counts as published. With --dry-run the source is not changed.
 */

const repository = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFile(join(repository, file), "utf8");

const { values } = parseArgs({
  options: { tag: { type: "string" }, "dry-run": { type: "boolean", default: false } },
});

const about = JSON.parse(await read("package.json")) as { name: string; version: string };
const { tag = `v${about.version}` } = values;
const said = {
  "package.json": about.version,
  "sdk/version.ts": version,
  "the tag": tag.replace(/^v/, ""),
};
if (new Set(Object.values(said)).size > 1)
  throw new Error(
    `versions differ: ${Object.entries(said)
      .map(([place, text]) => `${place} says ${text}`)
      .join(", ")}`,
  );

const notes = sectionOf(await read("CHANGELOG.md"), version);
const source = asPublished(await read("sdk/version.ts"));
const sbom = await makeSbom(repository);
const problems = sbomProblems(sbom, about.name, version);
if (problems.length > 0) throw new Error(`the list of parts: ${problems.join("; ")}`);

const folder = join(repository, "dist", "release");
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "notes.md"), `${notes}\n`);
await writeFile(join(folder, "sbom.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`);
if (!values["dry-run"]) await writeFile(join(repository, "sdk", "version.ts"), source);
console.log(`${about.name} ${version}: ${sbom.components?.length} parts, notes in dist/release`);
