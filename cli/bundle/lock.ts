import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../exit-code.ts";

/** The contents of `bundle.lock.json`. */
export interface BundleLock {
  readonly lockVersion: 1;
  /** Version of this package. */
  readonly version: string;
  /** Whether every file and every blob is in the folder. */
  readonly isComplete: boolean;
  /** Registry in the references of the manifests; undefined for the registries of the input. */
  readonly registry?: string | undefined;
  /** Only platform in the bundle; undefined for all. */
  readonly platform?: string | undefined;
  readonly images: Readonly<Record<string, LockedImage>>;
  /** Versions of the cluster's components, by folder name. */
  readonly prerequisites: Readonly<Record<string, { version: string; module: string }>>;
  /** SHA-256 of each file with manifests, by path in the folder. */
  readonly files: Readonly<Record<string, string>>;
}

export interface LockedImage {
  /** Digest in the references of the manifests. */
  readonly digest: string;
  /** Digest of the tag in its registry. */
  readonly tagDigest: string;
  /** Bytes of all blobs; 0 until they are in the folder. */
  readonly size: number;
}

export const lockName = "bundle.lock.json";

/** Returns the lock of a folder; undefined if there is none. */
export async function readLock(folder: string): Promise<BundleLock | undefined> {
  const file = join(folder, lockName);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UsageError(`${file}: ${message}`);
  }
  let lock: Partial<BundleLock> | null;
  try {
    lock = JSON.parse(text) as Partial<BundleLock> | null;
  } catch (error) {
    throw new UsageError(
      `${file}: is not JSON (${(error as Error).message}); delete it and run bundle again, which keeps the downloaded images`,
    );
  }
  if (lock?.lockVersion !== 1 || typeof lock.images !== "object" || lock.images === null)
    throw new UsageError(
      `${file}: is not a lock of this version; allowed: lockVersion 1. Run bundle again with another folder.`,
    );
  return lock as BundleLock;
}

/** Replaces the lock in one step. */
export async function writeLock(folder: string, lock: BundleLock): Promise<void> {
  const file = join(folder, lockName);
  await writeFile(`${file}.partial`, `${JSON.stringify(lock, null, 2)}\n`);
  await rename(`${file}.partial`, file);
}
