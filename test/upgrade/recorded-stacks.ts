import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

/** A deployed example. */
export interface RecordedStack {
  /** Folder of the program, from the root of the repository. */
  readonly example: string;
  /** Commit that deployed it. */
  readonly commit: string;
  /** Configuration with which it was deployed. */
  readonly config: Readonly<Record<string, string>>;
  /** Output of `pulumi stack export`. It contains no secrets. */
  readonly state: object;
}

/** Stack of all recorded examples. */
export const stackName = "upgrade";

const folder = join(import.meta.dirname, "recorded");

/** Versions of this package for which the examples are recorded. */
export const recordedVersions = (): string[] =>
  globSync("*.json.gz", { cwd: folder })
    .map((file) => basename(file, ".json.gz"))
    .sort();

/** Returns the examples as a version of this package deployed them, in the order of their deployment. */
export function readStacks(version: string): RecordedStack[] {
  return JSON.parse(gunzipSync(readFileSync(fileOf(version))).toString()) as RecordedStack[];
}

export function writeStacks(version: string, stacks: readonly RecordedStack[]): void {
  writeFileSync(fileOf(version), gzipSync(JSON.stringify(stacks), { level: 9 }));
}

const fileOf = (version: string): string => join(folder, `${version}.json.gz`);
