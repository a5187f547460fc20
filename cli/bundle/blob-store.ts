import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { digestOf, maxManifestBytes } from "../../kubernetes/registry/client.ts";
import { type Descriptor, type Digest, parseDigest } from "../../kubernetes/registry/content.ts";
import { bytesOf } from "../../kubernetes/registry/response-bytes.ts";
import {
  openToWrite,
  readSmallFile,
  refuseLink,
  replaceFile,
  stateOf,
} from "../output/own-files.ts";
import { makeFolder } from "../render/write-folder.ts";

/**
 * The blobs of an OCI image layout, `blobs/sha256`. A blob gets the name of its digest only after its bytes were
 * verified, so an interrupted download leaves a file that ends in `.partial` and never a wrong one.
 */
export class BlobStore {
  readonly #layout: string;
  readonly #folder: string;

  constructor(layout: string) {
    this.#layout = layout;
    this.#folder = join(layout, "blobs", "sha256");
  }

  /** Creates the folder, which the methods that write need. */
  async create(): Promise<void> {
    for (const folder of [join(this.#layout, "blobs"), this.#folder]) await refuseLink(folder);
    await makeFolder(this.#folder);
  }

  pathOf(digest: Digest): string {
    return join(this.#folder, digest.slice("sha256:".length));
  }

  /** Returns whether the store has a blob with the bytes of its digest and this size. */
  async has({ digest, size }: Pick<Descriptor, "digest" | "size">): Promise<boolean> {
    const path = this.pathOf(digest);
    const found = await stateOf(path);
    if (found?.isFile() !== true || found.size !== size) return false;
    return (await digestOfFile(path)) === digest;
  }

  /** Reads a manifest or a configuration. */
  async read(digest: Digest): Promise<Uint8Array> {
    const path = this.pathOf(digest);
    const bytes = await readSmallFile(path, maxManifestBytes);
    if (bytes === undefined) throw new Error(`${path}: is missing`);
    if (digestOf(bytes) !== digest) throw new Error(`${path}: its bytes have another digest`);
    return bytes;
  }

  /** Stores a manifest or a configuration, whose digest was computed from its bytes. */
  write(digest: Digest, bytes: Uint8Array): Promise<void> {
    return replaceFile(this.pathOf(digest), bytes);
  }

  /**
   * Downloads a blob, and continues where an interrupted download ended.
   *
   * @param open requests the bytes from an offset on
   * @throws Error if the size or the digest differs; the next run then starts from the first byte
   */
  async download(
    { digest, size }: Pick<Descriptor, "digest" | "size">,
    open: (from: number) => Promise<Response>,
  ): Promise<void> {
    const partial = `${this.pathOf(digest)}.partial`;
    await refuseLink(this.pathOf(digest));
    const kept = (await stateOf(partial))?.size ?? 0;
    const from = kept < size ? kept : 0;
    const response = await open(from);
    const start = response.status === 206 ? from : 0;
    const file = await openToWrite(partial, start > 0);
    try {
      for await (const bytes of bytesOf(response, size - start)) await file.appendFile(bytes);
    } finally {
      await file.close();
    }
    const found = (await stateOf(partial))?.size ?? 0;
    if (found < size) throw new Error(`ended after ${found} of ${size} bytes`);
    const sent = await digestOfFile(partial);
    if (sent !== digest) {
      await rm(partial);
      throw new Error(
        `the registry sent ${sent} instead of ${size} bytes with the digest ${digest}`,
      );
    }
    await rename(partial, this.pathOf(digest));
  }

  /** Deletes every complete or partial blob that is not in a set. Folders stay: no bundle has one there. */
  async keepOnly(digests: ReadonlySet<Digest>): Promise<void> {
    for (const entry of await readdir(this.#folder, { withFileTypes: true })) {
      if (entry.isDirectory()) continue;
      const { name } = entry;
      const digest = parseDigest(`sha256:${name.replace(/\.partial$/, "")}`);
      const path = join(this.#folder, name);
      if (digest === undefined || (digests.has(digest) && path === this.pathOf(digest))) continue;
      await rm(path);
    }
  }
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest("hex")}`;
}
