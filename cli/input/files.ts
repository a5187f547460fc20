import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";

/** A file of the input; `-` is standard input. */
export interface InputFile {
  readonly path: string;
  /** False if only its folder is given. */
  readonly isNamed: boolean;
}

/** Returns the files of a path: the file itself, or the YAML and JSON files of a folder and its subfolders. */
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

/** Installed packages and hidden folders. */
const passedOver = /(^|[\\/])(node_modules|\.[^./\\][^/\\]*)[\\/]/;
