import { z } from "zod";
import type { RegistryClient, Repository } from "../../kubernetes/registry/client.ts";
import {
  type Descriptor,
  type Digest,
  isIndex,
  type ManifestContent,
  parseJson,
  parseManifest,
} from "../../kubernetes/registry/content.ts";
import { type ManifestNode, readImageTree } from "../../kubernetes/registry/image-tree.ts";
import { formatReference, type ImageReference } from "../../kubernetes/registry/reference.ts";
import type { BlobStore } from "./blob-store.ts";

/** An image whose digest is known. */
export interface ResolvedImage {
  readonly reference: ImageReference;
  /** Root of the image in the bundle: an index, or the image of the selected platform. */
  readonly root: Descriptor;
  /** Digest that the registry has for the tag. It differs from the root's if one platform was selected. */
  readonly tagDigest: Digest;
}

interface PullContext {
  /** Repository to read: the repository of the image, or its mirror. */
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
  const { manifests = [] } = parseManifest(bytes, `its index ${digest}`);
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

/** Stores the manifests of an image, and returns them. */
export const pullManifests = (
  root: Descriptor,
  { from, client, store }: PullContext,
): Promise<ManifestNode[]> =>
  readImageTree(root, async (descriptor) => {
    if (!(await store.has(descriptor))) {
      const { digest, bytes } = await client.manifest(from, descriptor.digest);
      if (bytes.length !== descriptor.size)
        throw new Error(`the manifest ${digest} has ${bytes.length} bytes, not ${descriptor.size}`);
      await store.write(digest, bytes);
    }
    return readManifest(store, descriptor.digest);
  });

export const readManifest = async (store: BlobStore, digest: Digest): Promise<ManifestContent> =>
  parseManifest(await store.read(digest), `the manifest ${digest}`);

const configuration = z.object({ os: z.string().optional(), architecture: z.string().optional() });

/** @throws Error if an image without an index is for another platform than the selected one */
export async function checkPlatform(
  { root }: ResolvedImage,
  platform: string,
  store: BlobStore,
): Promise<void> {
  const { config } = await readManifest(store, root.digest);
  if (config === undefined) return;
  const bytes = await store.read(config.digest);
  const { os, architecture } = parseJson(configuration, bytes, `its configuration`);
  if (os === undefined || architecture === undefined) return;
  const [wantedOs, wantedArchitecture] = platform.split("/");
  if (os !== wantedOs || architecture !== wantedArchitecture)
    throw new Error(`is for ${os}/${architecture}, not for --platform ${platform}`);
}

/** Returns the name of an image in the layout and in the lock: the reference without a digest, if it has a tag. */
export const nameInBundle = (reference: ImageReference): string =>
  formatReference(reference.tag === undefined ? reference : { ...reference, digest: undefined });
