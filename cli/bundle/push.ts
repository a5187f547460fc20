import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { RegistryClient, type Repository } from "../../kubernetes/registry/client.ts";
import { dockerCredentials } from "../../kubernetes/registry/credentials.ts";
import type { Descriptor, ManifestContent } from "../../kubernetes/registry/media-types.ts";
import { formatReference, inTarget, parseReference } from "../../kubernetes/registry/reference.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { startProgress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";
import { BlobStore } from "./blob-store.ts";
import { inParallel } from "./in-parallel.ts";
import { lockName, readLock } from "./lock.ts";
import { readManifest } from "./pull-image.ts";
import { collisions, readTarget } from "./targets.ts";

export interface PushOptions {
  registry: string;
  plainHttp?: readonly string[];
}

/** Uploads that run at the same time. */
const uploads = 4;

/** Copies every image of a bundle to a registry. Blobs that the registry has are not sent again. */
export async function push(folder: string, options: PushOptions, shown: Terminal): Promise<number> {
  using progress = startProgress(shown, { isForMachines: false });
  const { terminal } = progress;
  const target = readTarget(options.registry);
  const images = await readImages(folder);
  const problems = collisions(images.map(({ reference }) => reference));
  if (problems.length > 0) {
    for (const problem of problems) terminal.err.write(`${problem}\n`);
    return exitCode.problems;
  }
  const store = new BlobStore(folder);
  const client = new RegistryClient({
    credentials: dockerCredentials(),
    plainHttp: options.plainHttp ?? [],
  });
  let done = 0;
  const failures = await inParallel(uploads, images, async ({ root, reference }) => {
    progress.at("Images pushed", done, images.length);
    const place = inTarget(reference, target);
    await pushContent(root, place);
    if (place.tag !== undefined)
      await client.putManifest(place, place.tag, {
        ...root,
        bytes: await store.read(root.digest),
      });
    await verify(root, place);
    done += 1;
  });
  progress.end();
  for (const { item, error } of failures)
    terminal.err.write(`${formatReference(item.reference)}: ${error.message}\n`);
  if (failures.length > 0) return exitCode.problems;
  for (const { reference, root } of images)
    terminal.out.write(
      `${formatReference({ ...inTarget(reference, target), digest: root.digest })}\n`,
    );
  return exitCode.ok;

  /** Pushes what a manifest names before the manifest, as registries require. */
  async function pushContent({ digest, mediaType }: Descriptor, to: Repository): Promise<void> {
    const content: ManifestContent = await readContent(digest);
    for (const each of content.manifests ?? []) await pushContent(each, to);
    const { config, layers = [] } = content;
    for (const blob of config === undefined ? [] : [config, ...layers]) {
      if (await client.has(to, "blobs", blob.digest)) continue;
      if (!(await store.has(blob.digest))) throw missing(blob.digest);
      const open = () =>
        Readable.toWeb(createReadStream(store.pathOf(blob.digest))) as ReadableStream;
      await client.putBlob(to, { ...blob, open });
    }
    await client.putManifest(to, digest, { mediaType, bytes: await store.read(digest) });
  }

  /** Reads the manifests back by their digests, and requests each blob: a registry may respond 201 and store nothing. */
  async function verify({ digest }: Descriptor, at: Repository): Promise<void> {
    await client.manifest(at, digest);
    const { manifests = [], config, layers = [] } = await readContent(digest);
    for (const each of manifests) await verify(each, at);
    for (const blob of config === undefined ? [] : [config, ...layers])
      if (!(await client.has(at, "blobs", blob.digest)))
        throw new Error(`${at.registry} accepted the blob ${blob.digest}, but does not serve it`);
  }

  async function readContent(digest: string): Promise<ManifestContent> {
    if (!(await store.has(digest))) throw missing(digest);
    return readManifest(store, digest);
  }
}

const missing = (digest: string) =>
  new Error(`the bundle lacks the blob ${digest}, or it is damaged; run bundle again`);

async function readImages(folder: string) {
  const lock = await readLock(folder);
  if (lock === undefined)
    throw new UsageError(`${folder}: has no ${lockName}; name a folder that bundle wrote`);
  if (!lock.isComplete)
    throw new UsageError(`${folder}: is incomplete; run bundle again, which continues`);
  const index = JSON.parse(await readFile(join(folder, "index.json"), "utf8")) as ManifestContent;
  return (index.manifests ?? []).map((root) => {
    const name = root.annotations?.["org.opencontainers.image.ref.name"] ?? "";
    return { root, reference: parseReference(name) };
  });
}
