import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { digestOf } from "../../kubernetes/registry/client.ts";
import { makeFolder } from "../render/write-folder.ts";

/**
 * The blobs of an OCI image layout, `blobs/sha256`. A blob gets the name of its digest only after its bytes were
 * verified, so an interrupted download leaves a file that ends in `.partial` and never a wrong one.
 */
export class BlobStore {
  readonly #folder: string;

  constructor(layout: string) {
    this.#folder = join(layout, "blobs", "sha256");
  }

  /** Creates the folder, which the methods that write need. */
  create(): Promise<void> {
    return makeFolder(this.#folder);
  }

  pathOf(digest: string): string {
    return join(this.#folder, digest.replace(/^sha256:/, ""));
  }

  /** Returns whether the store has a blob. Deletes a file whose bytes do not match its name. */
  async has(digest: string): Promise<boolean> {
    const path = this.pathOf(digest);
    if (!existsSync(path)) return false;
    if ((await digestOfFile(path)) === digest) return true;
    await rm(path);
    return false;
  }

  async read(digest: string): Promise<Uint8Array> {
    const bytes = await readFile(this.pathOf(digest));
    if (digestOf(bytes) !== digest)
      throw new Error(`${this.pathOf(digest)}: its bytes have the digest ${digestOf(bytes)}`);
    return bytes;
  }

  async write(digest: string, bytes: Uint8Array): Promise<void> {
    const partial = `${this.pathOf(digest)}.partial`;
    await writeFile(partial, bytes);
    await rename(partial, this.pathOf(digest));
  }

  /**
   * Downloads a blob, and continues where an interrupted download ended.
   *
   * @param open requests the bytes from an offset on
   * @throws Error if the size or the digest differs; the next run then starts from the first byte
   */
  async download(
    { digest, size }: { digest: string; size: number },
    open: (from: number) => Promise<Response>,
  ): Promise<void> {
    const partial = `${this.pathOf(digest)}.partial`;
    const kept = existsSync(partial) ? (await stat(partial)).size : 0;
    const from = kept < size ? kept : 0;
    const response = await open(from);
    const flags = response.status === 206 ? "a" : "w";
    if (response.body === null) throw new Error("the registry sent no body");
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream(partial, { flags }));
    const found = (await stat(partial)).size;
    if (found < size) throw new Error(`ended after ${found} of ${size} bytes`);
    const wrong = found === size ? await digestOfFile(partial) : `${found} bytes`;
    if (wrong !== digest) {
      await rm(partial);
      throw new Error(
        `the registry sent ${wrong} instead of ${size} bytes with the digest ${digest}`,
      );
    }
    await rename(partial, this.pathOf(digest));
  }

  /** Deletes every blob that is not in a set. */
  async keepOnly(digests: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (!digests.has(`sha256:${name}`)) await rm(join(this.#folder, name));
  }
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest("hex")}`;
}
