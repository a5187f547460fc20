import { constants, type Stats } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { UsageError } from "../exit-code.ts";

/** Files in a folder that a command writes. A link in it could lead the command to another file of the user. */

/** Returns the state of a file itself, also of a link; undefined if it is missing. */
export const stateOf = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

/** @throws UsageError if a path is a link; a missing path is not a link */
export async function refuseLink(path: string): Promise<void> {
  if ((await stateOf(path))?.isSymbolicLink() === true)
    throw new UsageError(`${path}: is a link, and links are not followed; delete it`);
}

/** Opens a file for writing, and creates it if it is missing. Does not follow a link. */
export async function openToWrite(path: string, isAppended = false) {
  await refuseLink(path);
  const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  return open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | (isAppended ? O_APPEND : O_TRUNC));
}

/** Replaces the content of a file in one step. Does not follow a link. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const partial = `${path}.partial`;
  await refuseLink(path);
  const file = await openToWrite(partial);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
  await rename(partial, path).catch(async (error: Error) => {
    await rm(partial);
    throw error;
  });
}

/**
 * Reads a small file of a folder that may come from another author.
 *
 * @param most size that the file may have, in bytes
 * @returns undefined if it is missing
 * @throws Error if it is not a regular file, or too large
 */
export async function readSmallFile(path: string, most: number): Promise<Buffer | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    // Without O_NONBLOCK, opening a named pipe waits for a writer.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ELOOP") await refuseLink(path);
    throw error;
  }
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${path}: is not a regular file`);
    if (found.size > most)
      throw new Error(`${path}: has ${found.size} bytes; at most ${most} are read`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
