import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../../sdk/version.ts";
import { fetchArm64 } from "./arm64.ts";
import { type BuiltImage, buildPlatform, inScratch } from "./build.ts";
import { Buildah } from "./buildah.ts";
import { readDigest } from "./digest.ts";
import { thisMachine } from "./this-machine.ts";
import { verifyPush } from "./verify-push.ts";

/** @throws Error if the value of --tls-verify is not a boolean */
export function readTlsVerify(text: string): boolean {
  if (text !== "true" && text !== "false")
    throw new Error(`--tls-verify: is ${JSON.stringify(text)}; allowed: true or false`);
  return text === "true";
}

export interface PushOptions {
  /** Whether the registry's certificate is verified; false also allows plain HTTP. */
  readonly tlsVerify: boolean;
  /** Hosts that may issue tokens for the registry, in addition to its host and the known ones. */
  readonly realms?: readonly string[];
}

/**
 * Builds the image for amd64 and arm64 and pushes both to a registry, as one OCI index, with the credentials of
 * `buildah login`.
 *
 * @param bundled folder of the bundle
 * @param target `REGISTRY/NAME` or `REGISTRY/NAME:TAG`; the default tag is the version
 * @returns the reference by digest, `REGISTRY/NAME@sha256:...`, after the image was read back from the registry
 * @throws Error if buildah reports no digest, or the registry does not serve what was built
 */
export async function pushImage(
  bundled: string,
  target: string,
  { tlsVerify, realms = [] }: PushOptions,
): Promise<string> {
  const { name, tag } = readTarget(target);
  return inScratch(async (folder) => {
    const buildah = new Buildah(join(folder, "storage"));
    const index = "localhost/pulumi-inference";
    await buildah.run("manifest", "create", index);
    const built: BuiltImage[] = [];
    for (const platform of [await thisMachine(), await fetchArm64(join(folder, "arm64"))]) {
      const image = await buildPlatform(buildah, folder, bundled, platform);
      await buildah.run("manifest", "add", index, image.name);
      built.push(image);
    }
    return await pushIndex(buildah, {
      folder,
      index,
      target: `${name}:${tag}`,
      built,
      tlsVerify,
      realms,
    });
  });
}

interface Push extends PushOptions {
  /** A folder for files of buildah. */
  readonly folder: string;
  /** Name of the index in buildah's storage. */
  readonly index: string;
  /** `REGISTRY/NAME:TAG` */
  readonly target: string;
  /** The images of the index. */
  readonly built: readonly BuiltImage[];
}

/** Pushes an index with its images and reads them back. Returns the reference by digest. */
export async function pushIndex(
  buildah: Buildah,
  { folder, index, target, built, tlsVerify, realms = [] }: Push,
): Promise<string> {
  const digestFile = join(folder, "digest");
  const { stderr } = await buildah.runForBoth(
    "manifest",
    "push",
    "--all",
    "--format=oci",
    `--tls-verify=${tlsVerify}`,
    `--digestfile=${digestFile}`,
    index,
    `docker://${target}`,
  );
  const written = await readFile(digestFile, "utf8").catch(() => "");
  const what = `digest of the image pushed to ${target}: check the address, and log in with \`buildah login\``;
  const digest = readDigest(written, what, stderr);
  const reference = `${target.slice(0, target.lastIndexOf(":"))}@${digest}`;
  await verifyPush(reference, built, { tlsVerify, realms });
  return reference;
}

/**
 * @param option name of the option with the target, for the message
 * @throws Error for a target without a registry, or with a digest, which is known only after a push
 */
export function readTarget(target: string, option = "--push"): { name: string; tag: string } {
  const [, name, tag = version] =
    /^((?:[\w.-]+\.[\w.-]+|localhost|[\w.-]+(?=:\d+\/))(?::\d+)?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+)(?::([\w][\w.-]{0,127}))?$/.exec(
      target,
    ) ?? [];
  if (name === undefined)
    throw new Error(
      `${option}: is ${JSON.stringify(target)}; allowed: REGISTRY/NAME or REGISTRY/NAME:TAG, as ghcr.io/my-team/pulumi-inference:1.0`,
    );
  return { name, tag };
}
