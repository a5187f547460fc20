import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { version } from "../../sdk/version.ts";
import { Buildah, ensureBuildah } from "./buildah.ts";
import { bundle, bundleFolder } from "./bundle.ts";
import { stageRootFileSystem } from "./root-file-system.ts";

const run = promisify(execFile);

/** The image as one file, for `podman load`, `skopeo copy` or `ctr images import`. */
const archiveFile = join(bundleFolder, "image.oci.tar");

/**
 * Builds the runtime's image into an OCI archive, without a daemon and without pulling anything. The same input gives
 * the same bytes: every file is dated 1970, and no history or version of a tool goes in.
 *
 * @param bundled folder of the bundle
 * @returns digest of the image's manifest
 */
export async function buildImage(bundled: string, archive: string): Promise<string> {
  process.umask(0o022);
  const folder = await mkdtemp(join(tmpdir(), "pulumi-inference-image-"));
  const [files, layout] = [join(folder, "files"), join(folder, "layout")];
  try {
    await stageRootFileSystem(files, bundled);
    const buildah = new Buildah(join(folder, "storage"));
    const image = "localhost/pulumi-inference";
    await buildah.run(
      "build",
      "--timestamp=0",
      "--layers=false",
      "--omit-history",
      "--identity-label=false",
      `--build-arg=VERSION=${version}`,
      `--file=${join(import.meta.dirname, "Containerfile")}`,
      `--tag=${image}`,
      files,
    );
    await buildah.run("push", image, `oci:${layout}:${version}`);
    await archiveOf(layout, archive);
    return await manifestDigest(layout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A tar file whose bytes depend on its content alone. */
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

if (process.argv[1] === import.meta.filename) {
  ensureBuildah();
  await bundle(bundleFolder);
  const digest = await buildImage(bundleFolder, archiveFile);
  console.log(`${relative(process.cwd(), archiveFile)} ${digest}`);
}
