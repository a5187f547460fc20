import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import typescript from "typescript";

export const root = join(import.meta.dirname, "..", "..");

/** Returns the files of the repository that match one of git's patterns, as paths from the root. */
export function trackedFiles(...patterns: readonly string[]): string[] {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns],
    { cwd: root, encoding: "utf8" },
  );
  return listed
    .trim()
    .split("\n")
    .filter((path) => existsSync(join(root, path)));
}

/** Returns every TypeScript file of the repository: its text by path from the root. */
export const sourceFiles = (): Map<string, string> =>
  new Map(trackedFiles("*.ts").map((path) => [path, readFileSync(join(root, path), "utf8")]));

/** Imports of each file: files of the repository as paths from the root, packages by name. */
export type Imports = ReadonlyMap<string, readonly string[]>;

export const importsOf = (files: ReadonlyMap<string, string>): Imports =>
  new Map(
    Array.from(files, ([path, text]) => [
      path,
      typescript
        .preProcessFile(text)
        .importedFiles.map(({ fileName }) =>
          fileName.startsWith(".") ? join(dirname(path), fileName) : fileName,
        ),
    ]),
  );
