import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReleaseData } from "../../sdk/engines/options/release-data.ts";

/** Returns the folder with the data files of an engine. */
export const folderOf = (engine: string) =>
  join(import.meta.dirname, "../../sdk/engines", engine, "releases");

/** Returns the data files of an engine, the newest first. */
export const storedReleases = (engine: string): ReleaseData[] =>
  globSync(join(folderOf(engine), "*.json"))
    .map((file): ReleaseData => JSON.parse(readFileSync(file, "utf8")))
    .sort(newestFirst);

export const newestFirst = (a: { version: string }, b: { version: string }) =>
  b.version.localeCompare(a.version, "en", { numeric: true });
