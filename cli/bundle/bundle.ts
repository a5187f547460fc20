import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Descriptor, Digest } from "../../kubernetes/registry/content.ts";
import { blobsOf } from "../../kubernetes/registry/image-tree.ts";
import { imagesOf } from "../../kubernetes/registry/pod-images.ts";
import { parseReference } from "../../kubernetes/registry/reference.ts";
import {
  type PrerequisiteName,
  prerequisiteNames,
  prerequisites,
} from "../../sdk/platform/prerequisites.ts";
import { version } from "../../sdk/version.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { replaceFile } from "../output/own-files.ts";
import { startProgress } from "../output/progress.ts";
import { type RenderOptions, renderedManifests } from "../render/render.ts";
import type { Terminal } from "../terminal.ts";
import { BlobStore } from "./blob-store.ts";
import { allObjects, bundleFiles, bundleObjects, writeBundleFiles } from "./bundle-files.ts";
import { inParallel } from "./in-parallel.ts";
import { type BundleLock, lockName, readLock, writeLock } from "./lock.ts";
import {
  checkPlatform,
  nameInBundle,
  pullManifests,
  type ResolvedImage,
  resolveImage,
} from "./pull-image.ts";
import { type RegistryCommandOptions, registryClient } from "./registry-client.ts";
import { collisions, mirrorsOf, readTarget, referenceInManifest } from "./targets.ts";

export interface BundleOptions
  extends RegistryCommandOptions,
    Pick<RenderOptions, "stack" | "pluginModules" | "webhookPluginUrls"> {
  output: string;
  registry?: string;
  platform?: string;
  prerequisites?: readonly string[];
  mirror?: readonly string[];
  update: boolean;
  force: boolean;
}

/** Blobs that are downloaded at the same time. */
const downloads = 4;

/** Writes the objects of the input, the cluster's prerequisites and every image into a folder. */
export async function bundle(
  paths: readonly string[],
  options: BundleOptions,
  shown: Terminal,
): Promise<number> {
  using progress = startProgress(shown, { isForMachines: false });
  const { terminal } = progress;
  const { output: folder, platform, registry } = options;
  const target = registry === undefined ? undefined : readTarget(registry);
  const mirrored = mirrorsOf(options.mirror ?? []);
  const names = prerequisitesOf(options.prerequisites);
  const before = await readLock(folder);
  if (before === undefined) await refuseForeignFolder(folder);

  const render = { ...options, format: "yaml", showPlugins: false, kustomization: false } as const;
  const objects = bundleObjects(await renderedManifests(paths, render, progress), names);
  const images = imagesOf(allObjects(objects)).map((image) => ({
    image,
    reference: parseReference(image),
  }));
  const problems = target === undefined ? [] : collisions(images.map(({ reference }) => reference));
  if (problems.length > 0) return refuse(problems, terminal);

  const store = new BlobStore(folder);
  await inFolder(() => store.create());
  const client = registryClient(options, terminal);
  const found = new Map<string, ResolvedImage>();
  const unresolved = await inParallel(downloads, images, async ({ image, reference }) => {
    progress.at("Images found", found.size, images.length);
    const each = await resolveImage(reference, {
      from: mirrored(reference),
      client,
      store,
      platform,
    });
    refuseMovedTag(each, before, options);
    found.set(image, each);
  });
  if (unresolved.length > 0)
    return refuse(
      unresolved.map(({ item, error }) => `${item.image}: ${error.message}`),
      terminal,
    );

  const resolved = images.flatMap(({ image }) => found.get(image) ?? []);
  const files = bundleFiles(objects, (image) =>
    referenceInManifest(image, (found.get(image) as ResolvedImage).root.digest, target),
  );
  const fileDigests = await writeBundleFiles(folder, files, options);
  const lockOf = (sizes: ReadonlyMap<string, number>, isComplete: boolean): BundleLock => ({
    lockVersion: 1,
    version,
    isComplete,
    registry,
    platform,
    images: Object.fromEntries(
      resolved.map(({ reference, root, tagDigest }) => {
        const name = nameInBundle(reference);
        return [name, { digest: root.digest, tagDigest, size: sizes.get(name) ?? 0 }];
      }),
    ),
    prerequisites: Object.fromEntries(
      names.map((name) => {
        const { folder: key, version: pinned, module } = prerequisites[name];
        return [key, { version: pinned, module }];
      }),
    ),
    files: fileDigests,
  });
  await inFolder(() => writeLock(folder, lockOf(new Map(), false)));

  const { sizes, digests, failures } = await download(resolved);
  if (failures.length > 0)
    return refuse(
      [...failures, `${folder} is incomplete; run the same command again, which continues`],
      terminal,
    );
  await inFolder(async () => {
    await writeLayout(folder, resolved);
    await store.keepOnly(digests);
    await writeLock(folder, lockOf(sizes, true));
  });
  progress.end();
  for (const { reference, root } of resolved) {
    const name = nameInBundle(reference);
    terminal.out.write(`${name}  ${root.digest}  ${sizes.get(name)} bytes\n`);
  }
  return exitCode.ok;

  /** @throws UsageError if a file cannot be written, such as in a full file system or over a folder */
  async function inFolder(write: () => Promise<void>): Promise<void> {
    await write().catch((error: Error) => {
      throw error instanceof UsageError ? error : new UsageError(`-o ${folder}: ${error.message}`);
    });
  }

  /** Downloads the blobs of the images, each once. */
  async function download(all: readonly ResolvedImage[]) {
    const failures: string[] = [];
    const digests = new Set<Digest>();
    const sizes = new Map<string, number>();
    const blobs = new Map<Digest, { from: ResolvedImage; blob: Descriptor }>();
    const listed = await inParallel(downloads, all, async (from) => {
      const repository = mirrored(from.reference);
      const nodes = await pullManifests(from.root, { from: repository, client, store });
      const own = blobsOf(nodes);
      const contents = [...nodes.map(({ descriptor }) => descriptor), ...own];
      for (const { digest } of contents) digests.add(digest);
      for (const blob of own) blobs.set(blob.digest, { from, blob });
      sizes.set(
        nameInBundle(from.reference),
        contents.reduce((sum, { size }) => sum + size, 0),
      );
    });
    let done = 0;
    const missed = await inParallel(downloads, [...blobs.values()], async ({ from, blob }) => {
      progress.at("Layers in the folder", done, blobs.size);
      if (!(await store.has(blob)))
        await store.download(blob, (at) => client.blob(mirrored(from.reference), blob.digest, at));
      done += 1;
    });
    for (const { item, error } of listed)
      failures.push(`${nameInBundle(item.reference)}: ${error.message}`);
    for (const { item, error } of missed)
      failures.push(`${nameInBundle(item.from.reference)}: ${item.blob.digest}: ${error.message}`);
    if (failures.length === 0 && platform !== undefined)
      for (const image of all)
        await checkPlatform(image, platform, store).catch((error: Error) =>
          failures.push(`${nameInBundle(image.reference)}: ${error.message}`),
        );
    return { sizes, digests, failures };
  }
}

function refuse(problems: readonly string[], terminal: Terminal): number {
  for (const problem of problems) terminal.err.write(`${problem}\n`);
  return exitCode.problems;
}

/** A bundle is only written into an empty folder or over an earlier bundle. */
async function refuseForeignFolder(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const entries = await readdir(folder).catch((error: Error) => {
    throw new UsageError(`-o ${folder}: ${error.message}`);
  });
  // A run that ended before it wrote the lock leaves blobs only.
  const foreign = entries.find((entry) => entry !== "blobs");
  if (foreign !== undefined)
    throw new UsageError(
      `-o ${folder}: contains ${foreign} and no ${lockName}, so it is not a bundle; choose an empty folder`,
    );
}

/** @throws Error if a tag has another digest than in the earlier bundle */
function refuseMovedTag(
  { reference, tagDigest }: ResolvedImage,
  before: BundleLock | undefined,
  { update }: { update: boolean },
): void {
  const locked = before?.images[nameInBundle(reference)];
  if (update || locked === undefined || locked.tagDigest === tagDigest) return;
  throw new Error(
    `the tag moved: the lock has ${locked.tagDigest}, the registry ${tagDigest}. Add --update to bundle the new image, or write the image with the digest of the lock.`,
  );
}

function prerequisitesOf(folders: readonly string[] = ["all"]): readonly PrerequisiteName[] {
  if (folders.join() === "all") return prerequisiteNames;
  if (folders.join() === "none") return [];
  const known = prerequisiteNames.map((name) => prerequisites[name].folder as string);
  const unknown = folders.filter((each) => !known.includes(each));
  if (unknown.length > 0)
    throw new UsageError(
      `--prerequisites: is ${JSON.stringify(unknown.join(","))}; allowed: all, none, or a list of ${known.join(", ")}`,
    );
  return prerequisiteNames.filter((name) => folders.includes(prerequisites[name].folder));
}

/** Writes the two files that make the folder an OCI image layout. */
async function writeLayout(folder: string, images: readonly ResolvedImage[]): Promise<void> {
  const manifests = images.map(({ reference, root: { mediaType, digest, size } }) => ({
    mediaType,
    digest,
    size,
    annotations: { "org.opencontainers.image.ref.name": nameInBundle(reference) },
  }));
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests,
  };
  await replaceFile(join(folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}\n');
  await replaceFile(join(folder, "index.json"), `${JSON.stringify(index, null, 2)}\n`);
}
