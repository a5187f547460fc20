import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { version } from "../../sdk/version.ts";
import { Buildah } from "./buildah.ts";
import type { Platform } from "./platform.ts";
import { stageRootFileSystem } from "./root-file-system.ts";
import { thisMachine } from "./this-machine.ts";

const run = promisify(execFile);

/**
 * Builds the runtime's image for this machine into an OCI archive, without a daemon and without pulling anything. The
 * same input gives the same bytes: every file is dated 1970, and the image has no history and no tool version.
 *
 * @param bundled folder of the bundle
 * @returns digest of the image's manifest
 */
export async function buildImage(bundled: string, archive: string): Promise<string> {
  return inScratch(async (folder) => {
    const layout = join(folder, "layout");
    const buildah = new Buildah(join(folder, "storage"));
    const image = await buildPlatform(buildah, folder, bundled, await thisMachine());
    await buildah.run("push", image, `oci:${layout}:${version}`);
    await archiveOf(layout, archive);
    return await manifestDigest(layout);
  });
}

/** Builds the image of one platform into buildah's storage. Returns its name there. */
export async function buildPlatform(
  buildah: Buildah,
  folder: string,
  bundled: string,
  platform: Platform,
): Promise<string> {
  const { architecture } = platform;
  const files = join(folder, `files-${architecture}`);
  await stageRootFileSystem(files, bundled, platform);
  const image = `localhost/pulumi-inference-${architecture}`;
  await buildah.run(
    "build",
    `--platform=linux/${architecture}`,
    "--timestamp=0",
    "--layers=false",
    "--omit-history",
    "--identity-label=false",
    `--build-arg=VERSION=${version}`,
    `--file=${join(import.meta.dirname, "Containerfile")}`,
    `--tag=${image}`,
    files,
  );
  return image;
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
  await run("tar", [...plain, "--create", `--file=${archive}`, `--directory=${folder}`, "."]);
}

async function manifestDigest(layout: string): Promise<string> {
  const index = JSON.parse(await readFile(join(layout, "index.json"), "utf8")) as {
    manifests: Array<{ digest: string }>;
  };
  const [manifest] = index.manifests;
  if (manifest === undefined) throw new Error("buildah wrote an image without a manifest");
  return manifest.digest;
}
