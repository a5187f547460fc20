import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { version } from "../../sdk/version.ts";
import { Buildah } from "./buildah.ts";
import { readDigest } from "./digest.ts";
import type { Architecture, Platform } from "./platform.ts";
import { stageRootFileSystem } from "./root-file-system.ts";
import { thisMachine } from "./this-machine.ts";
import { verifyArchive } from "./verify-archive.ts";

const run = promisify(execFile);

/**
 * Builds the runtime's image for this machine into an OCI archive, without a daemon and without pulling anything. The
 * same input gives the same bytes: every file is dated 1970, and the image has no history and no tool version.
 *
 * @param bundled folder of the bundle
 * @returns digest of the image's manifest, as read from the archive
 */
export async function buildImage(bundled: string, archive: string): Promise<string> {
  return inScratch(async (folder) => {
    const layout = join(folder, "layout");
    const buildah = new Buildah(join(folder, "storage"));
    const image = await buildPlatform(buildah, folder, bundled, await thisMachine());
    await buildah.run("push", image.name, `oci:${layout}:${version}`);
    await archiveOf(layout, archive);
    return verifyArchive(await readFile(archive), image.id);
  });
}

/** An image in buildah's storage. */
export interface BuiltImage {
  readonly architecture: Architecture;
  /** Its name in the storage. */
  readonly name: string;
  /** Digest of its configuration. */
  readonly id: string;
}

/**
 * Builds the image of one platform into buildah's storage.
 *
 * @throws Error if buildah reports no id of the image
 */
export async function buildPlatform(
  buildah: Buildah,
  folder: string,
  bundled: string,
  platform: Platform,
): Promise<BuiltImage> {
  const { architecture } = platform;
  const files = join(folder, `files-${architecture}`);
  await stageRootFileSystem(files, bundled, platform);
  const name = `localhost/pulumi-inference-${architecture}`;
  const idFile = join(folder, `id-${architecture}`);
  await buildah.run(
    "build",
    `--platform=linux/${architecture}`,
    "--timestamp=0",
    "--layers=false",
    "--omit-history",
    "--identity-label=false",
    `--build-arg=VERSION=${version}`,
    `--file=${join(import.meta.dirname, "Containerfile")}`,
    `--iidfile=${idFile}`,
    `--tag=${name}`,
    files,
  );
  const id = await readFile(idFile, "utf8").catch(() => "");
  return { architecture, name, id: readDigest(id, `id of the image for ${architecture}`) };
}

/** Runs `work` with a temporary folder, which is deleted afterwards. New files get the modes of the image's files. */
export async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  process.umask(0o022);
  const folder = await mkdtemp(join(tmpdir(), "pulumi-inference-image-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates a tar file whose bytes depend on its content only. */
async function archiveOf(folder: string, archive: string): Promise<void> {
  const plain = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  await rm(archive, { force: true });
  await run("tar", [...plain, "--create", `--file=${archive}`, `--directory=${folder}`, "."]);
}
