import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";

/** A file of the input; `-` is standard input. */
export interface InputFile {
  readonly path: string;
  /** False where only its folder is named. */
  readonly isNamed: boolean;
}

/** What a path of the command line stands for: itself, or the YAML and JSON files of a folder and of those in it. */
export async function filesOf(path: string): Promise<InputFile[]> {
  if (path === "-" || !(await isFolder(path))) return [{ path, isNamed: true }];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !passedOver.test(relative(path, file)))
    .sort()
    .map((file) => ({ path: file, isNamed: false }));
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Packages of others, and folders that are hidden. */
const passedOver = /(^|[\\/])(node_modules|\.[^./\\][^/\\]*)[\\/]/;
