import { createHash } from "node:crypto";
import type { RegistryClient, Repository } from "./client.ts";
import { type Descriptor, type Digest, isIndex, parseManifest } from "./content.ts";
import { bytesOf } from "./response-bytes.ts";

/** One image that a registry serves, or one entry of an index. */
export interface ServedImage {
  /** `OS/ARCHITECTURE` in the index. Undefined for an image that is in no index. */
  readonly platform: string | undefined;
  /** Digest of the configuration, which is the id of the image where it was built. */
  readonly config: Digest;
}

/**
 * Reads an image by its digest from a registry: every manifest and every blob, with their digests.
 *
 * @throws Error if a part is missing, or its bytes do not match its digest
 */
export async function readServedImage(
  client: RegistryClient,
  of: Repository,
  digest: Digest,
): Promise<ServedImage[]> {
  const { mediaType, bytes } = await client.manifest(of, digest);
  const content = parseManifest(bytes, `the manifest ${digest}`);
  if (isIndex(mediaType)) {
    const images: ServedImage[] = [];
    for (const { digest: entry, platform, mediaType: type } of content.manifests ?? []) {
      if (isIndex(type)) throw new Error(`the index ${digest} contains another index, ${entry}`);
      for (const image of await readServedImage(client, of, entry))
        images.push({ ...image, platform: `${platform?.os}/${platform?.architecture}` });
    }
    return images;
  }
  const { config, layers = [] } = content;
  if (config === undefined) throw new Error(`the manifest ${digest} has no configuration`);
  for (const blob of [config, ...layers]) await readBlob(client, of, blob);
  return [{ platform: undefined, config: config.digest }];
}

async function readBlob(
  client: RegistryClient,
  of: Repository,
  { digest, size }: Descriptor,
): Promise<void> {
  const response = await client.blob(of, digest);
  const hash = createHash("sha256");
  try {
    for await (const bytes of bytesOf(response, size)) hash.update(bytes);
  } catch (error) {
    throw new Error(`${of.registry}: ${digest}: ${(error as Error).message}`);
  }
  const actual = `sha256:${hash.digest("hex")}`;
  if (actual !== digest)
    throw new Error(`${of.registry} sent bytes of ${actual} instead of ${digest}`);
}
