import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Repository } from "../../kubernetes/registry/client.ts";
import { type Descriptor, type Digest, parseManifest } from "../../kubernetes/registry/content.ts";
import { blobsOf, type ManifestNode, readImageTree } from "../../kubernetes/registry/image-tree.ts";
import { formatReference, inTarget, parseReference } from "../../kubernetes/registry/reference.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { readSmallFile } from "../output/own-files.ts";
import { startProgress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";
import { BlobStore } from "./blob-store.ts";
import { inParallel } from "./in-parallel.ts";
import { type BundleLock, lockName, maxListBytes, readLock } from "./lock.ts";
import { readManifest } from "./pull-image.ts";
import { type RegistryCommandOptions, registryClient } from "./registry-client.ts";
import { collisions, readTarget } from "./targets.ts";

export interface PushOptions extends RegistryCommandOptions {
  registry: string;
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
  const client = registryClient(options, terminal);
  let done = 0;
  const failures = await inParallel(uploads, images, async ({ root, reference }) => {
    progress.at("Images pushed", done, images.length);
    const place = inTarget(reference, target);
    const nodes = await readTree(root);
    await pushContent(nodes, place);
    if (place.tag !== undefined)
      await client.putManifest(place, place.tag, {
        ...root,
        bytes: await store.read(root.digest),
      });
    await verify(nodes, place);
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

  /** Pushes blobs before the manifests that name them, and an index last, as registries require. */
  async function pushContent(nodes: readonly ManifestNode[], to: Repository): Promise<void> {
    for (const blob of blobsOf(nodes)) {
      if (await client.has(to, "blobs", blob.digest)) continue;
      if (!(await store.has(blob))) throw missing(blob.digest);
      const open = () =>
        Readable.toWeb(createReadStream(store.pathOf(blob.digest))) as ReadableStream;
      await client.putBlob(to, { ...blob, open });
    }
    for (const { descriptor } of nodes)
      await client.putManifest(to, descriptor.digest, {
        mediaType: descriptor.mediaType,
        bytes: await store.read(descriptor.digest),
      });
  }

  /** Reads the manifests back by their digests, and requests each blob: a registry may respond 201 and store nothing. */
  async function verify(nodes: readonly ManifestNode[], at: Repository): Promise<void> {
    for (const { descriptor } of nodes) await client.manifest(at, descriptor.digest);
    for (const blob of blobsOf(nodes))
      if (!(await client.has(at, "blobs", blob.digest)))
        throw new Error(`${at.registry} accepted the blob ${blob.digest}, but does not serve it`);
  }

  function readTree(root: Descriptor): Promise<ManifestNode[]> {
    return readImageTree(root, async (descriptor) => {
      if (!(await store.has(descriptor))) throw missing(descriptor.digest);
      return readManifest(store, descriptor.digest);
    });
  }
}

const missing = (digest: Digest) =>
  new Error(`the bundle lacks the blob ${digest}, or it is damaged; run bundle again`);

async function readImages(folder: string) {
  const lock = await readLock(folder);
  if (lock === undefined)
    throw new UsageError(`${folder}: has no ${lockName}; name a folder that bundle wrote`);
  if (!lock.isComplete)
    throw new UsageError(`${folder}: is incomplete; run bundle again, which continues`);
  const file = join(folder, "index.json");
  try {
    const bytes = await readSmallFile(file, maxListBytes);
    if (bytes === undefined) throw new Error(`${file}: is missing; run bundle again`);
    const images = (parseManifest(bytes, file).manifests ?? []).map((root) => {
      const name = root.annotations?.["org.opencontainers.image.ref.name"] ?? "";
      return { root, name, reference: parseReference(name) };
    });
    refuseOtherImages(lock, images, file);
    return images;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** @throws Error if an index lists other images than the lock: an image that it lacks would not be pushed */
function refuseOtherImages(
  { images: locked }: BundleLock,
  images: ReadonlyArray<{ readonly name: string; readonly root: Descriptor }>,
  file: string,
): void {
  const listed = new Map(images.map(({ name, root }) => [name, root.digest]));
  const names = new Set([...Object.keys(locked), ...listed.keys()]);
  const other = [...names].find(
    (name) => !Object.hasOwn(locked, name) || locked[name]?.digest !== listed.get(name),
  );
  if (other !== undefined)
    throw new Error(
      `${file}: has ${listed.get(other) ?? "no digest"} for the image ${other}, ${lockName} has ${Object.hasOwn(locked, other) ? locked[other]?.digest : "none"}; run bundle again`,
    );
}
