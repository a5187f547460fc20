import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import typescript from "typescript";

export const root = join(import.meta.dirname, "..", "..");

/** Every TypeScript file of the repository: its path from the root, and its text. */
export function sourceFiles(): Map<string, string> {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts"],
    { cwd: root, encoding: "utf8" },
  );
  const paths = listed.trim().split("\n");
  return new Map(
    paths
      .filter((path) => existsSync(join(root, path)))
      .map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
}

/** What each file imports: files of the repository as paths from the root, packages by name. */
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
