import { join } from "node:path";
import { z } from "zod";
import { digest, parseJson } from "../../kubernetes/registry/content.ts";
import { UsageError } from "../exit-code.ts";
import { readSmallFile, replaceFile } from "../output/own-files.ts";

const lockedImage = z.object({
  /** Digest in the references of the manifests. */
  digest,
  /** Digest of the tag in its registry. */
  tagDigest: digest,
  /** Bytes of all blobs; 0 until they are in the folder. */
  size: z.int().nonnegative(),
});

const bundleLock = z.object({
  lockVersion: z.literal(1),
  /** Version of this package. */
  version: z.string(),
  /** Whether every file and every blob is in the folder. */
  isComplete: z.boolean(),
  /** Registry in the references of the manifests; undefined for the registries of the input. */
  registry: z.string().optional(),
  /** Only platform in the bundle; undefined for all. */
  platform: z.string().optional(),
  images: z.record(z.string(), lockedImage),
  /** Versions of the cluster's components, by folder name. */
  prerequisites: z.record(z.string(), z.object({ version: z.string(), module: z.string() })),
  /** SHA-256 of each file with manifests, by path in the folder. */
  files: z.record(z.string(), z.string()),
});

/** The contents of `bundle.lock.json`. */
export type BundleLock = z.infer<typeof bundleLock>;

export const lockName = "bundle.lock.json";

/** Largest lock and index of a bundle that are read, in bytes. A lock of 1,000 images has 0.3 MB. */
export const maxListBytes = 16 * 1024 * 1024;

/** Returns the lock of a folder; undefined if there is none. */
export async function readLock(folder: string): Promise<BundleLock | undefined> {
  const file = join(folder, lockName);
  try {
    const bytes = await readSmallFile(file, maxListBytes);
    return bytes && parseJson(bundleLock, bytes, file);
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message}. Run bundle again with another folder, or delete ${file} and run it again, which keeps the downloaded images.`,
    );
  }
}

/** Replaces the lock in one step. */
export const writeLock = (folder: string, lock: BundleLock): Promise<void> =>
  replaceFile(join(folder, lockName), `${JSON.stringify(lock, null, 2)}\n`);
