import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { UsageError } from "../exit-code.ts";
import { refuseLink, replaceFile } from "../output/own-files.ts";

/**
 * File with the names and digests of the files that render wrote into a folder, in the format of sha256sum. Because of
 * its extension, kubectl does not treat it as a manifest.
 */
export const ledgerName = ".pulumi-inference-render";

/**
 * Makes a folder contain exactly the given files: earlier files of render that are not in the list are removed, so
 * that applying the folder applies nothing stale. Files that render did not write, or that were edited since, are not
 * touched.
 *
 * @throws UsageError before anything is written, if such a file exists at the path of a given file; `force` overwrites
 * it
 */
export async function writeFolder(
  folder: string,
  files: ReadonlyMap<string, string>,
  { force }: { force: boolean },
): Promise<void> {
  try {
    await makeFolder(folder);
    const ledger = await readLedger(folder);
    const present = new Set(await readdir(folder));
    const isOurs = async (name: string) =>
      digest(await readFile(join(folder, name), "utf8")) === ledger.get(name);

    const stale = [...ledger.keys()].filter((name) => present.has(name) && !files.has(name));
    const met = [...files.keys()].filter((name) => present.has(name));
    for (const name of [...met, ...stale]) await refuseLink(join(folder, name));
    const foreign = await filter([...met, ...stale], async (name) => !(await isOurs(name)));
    if (foreign.length > 0 && !force) throw new UsageError(inTheWay(folder, foreign));

    for (const name of stale) await rm(join(folder, name));
    for (const [name, content] of files) await writeFile(join(folder, name), content);
    await replaceFile(join(folder, ledgerName), formatLedger(files));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`-o ${folder}: ${(error as Error).message}`);
  }
}

/**
 * Creates a folder and its parents. `mkdir` with `recursive` cannot be used: if the system refuses a folder in an
 * existing one, as below /proc, Node.js retries forever.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    const parent = dirname(resolve(folder));
    if (code !== "ENOENT" || existsSync(parent)) throw error;
    await makeFolder(parent);
    await mkdir(folder);
  }
}

async function filter(names: string[], keep: (name: string) => Promise<boolean>) {
  const kept = await Promise.all(names.map(keep));
  return names.filter((_, at) => kept[at]);
}

function inTheWay(folder: string, names: readonly string[]): string {
  return names
    .map((name) => `${join(folder, name)}: not written by render, or edited since`)
    .concat("Move these files away, choose another folder, or add --force.")
    .join("\n");
}

const digest = (content: string) => createHash("sha256").update(content).digest("hex");

function formatLedger(files: ReadonlyMap<string, string>): string {
  return [...files].map(([name, content]) => `${digest(content)}  ${name}\n`).join("");
}

async function readLedger(folder: string): Promise<Map<string, string>> {
  const text = await readFile(join(folder, ledgerName), "utf8").catch((error) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}
