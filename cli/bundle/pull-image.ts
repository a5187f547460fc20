import type { RegistryClient, Repository } from "../../kubernetes/registry/client.ts";
import {
  type Descriptor,
  isIndex,
  type ManifestContent,
} from "../../kubernetes/registry/media-types.ts";
import { formatReference, type ImageReference } from "../../kubernetes/registry/reference.ts";
import type { BlobStore } from "./blob-store.ts";

/** An image whose digest is known. */
export interface ResolvedImage {
  readonly reference: ImageReference;
  /** Root of the image in the bundle: an index, or the image of the selected platform. */
  readonly root: Descriptor;
  /** Digest that the registry has for the tag. It differs from the root's if one platform was selected. */
  readonly tagDigest: string;
}

interface PullContext {
  /** Repository to read: the one of the image, or its mirror. */
  readonly from: Repository;
  readonly client: RegistryClient;
  readonly store: BlobStore;
}

/**
 * Finds the digest of an image in its registry, and stores the manifests of all its platforms.
 *
 * @param platform `os/architecture[/variant]` of the only platform to bundle; undefined for all
 */
export async function resolveImage(
  reference: ImageReference,
  { from, client, store, platform }: PullContext & { platform?: string | undefined },
): Promise<ResolvedImage> {
  const named = reference.digest ?? reference.tag ?? "latest";
  const { digest, mediaType, bytes } = await client.manifest(from, named);
  if (platform === undefined || !isIndex(mediaType)) {
    await store.write(digest, bytes);
    return { reference, root: { mediaType, digest, size: bytes.length }, tagDigest: digest };
  }
  const { manifests = [] } = JSON.parse(String(Buffer.from(bytes))) as ManifestContent;
  const found = manifests.find((each) => platformOf(each) === platform);
  if (found === undefined)
    throw new Error(
      `has no image for --platform ${platform}; it has ${manifests.map(platformOf).join(", ")}`,
    );
  return { reference, root: found, tagDigest: digest };
}

const platformOf = ({ platform }: Descriptor): string =>
  platform === undefined
    ? "no platform"
    : [platform.os, platform.architecture, platform.variant].filter(Boolean).join("/");

/** Stores the manifests below a root, and returns every blob of the image: manifests, configurations and layers. */
export async function pullManifests(
  root: Descriptor,
  { from, client, store }: PullContext,
): Promise<{ manifests: Descriptor[]; blobs: Descriptor[] }> {
  if (!(await store.has(root.digest))) {
    const { bytes } = await client.manifest(from, root.digest);
    await store.write(root.digest, bytes);
  }
  const content = await readManifest(store, root.digest);
  const { manifests = [], config, layers = [] } = content;
  const below = [];
  for (const each of manifests) below.push(await pullManifests(each, { from, client, store }));
  return {
    manifests: [root, ...below.flatMap((each) => each.manifests)],
    blobs: [
      ...(config === undefined ? [] : [config, ...layers]),
      ...below.flatMap(({ blobs }) => blobs),
    ],
  };
}

export async function readManifest(store: BlobStore, digest: string): Promise<ManifestContent> {
  return JSON.parse(String(Buffer.from(await store.read(digest)))) as ManifestContent;
}

/** @throws Error if an image without an index is for another platform than the selected one */
export async function checkPlatform(
  { root }: ResolvedImage,
  platform: string,
  store: BlobStore,
): Promise<void> {
  const { config } = await readManifest(store, root.digest);
  if (config === undefined) return;
  const { os, architecture } = JSON.parse(String(Buffer.from(await store.read(config.digest)))) as {
    os?: string;
    architecture?: string;
  };
  if (os === undefined || architecture === undefined) return;
  const [wantedOs, wantedArchitecture] = platform.split("/");
  if (os !== wantedOs || architecture !== wantedArchitecture)
    throw new Error(`is for ${os}/${architecture}, not for --platform ${platform}`);
}

/** Returns the name of an image in the layout and in the lock: the reference without a digest, if it has a tag. */
export const nameInBundle = (reference: ImageReference): string =>
  formatReference(reference.tag === undefined ? reference : { ...reference, digest: undefined });
