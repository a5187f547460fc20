import { RegistryClient } from "../../kubernetes/registry/client.ts";
import { parseReference } from "../../kubernetes/registry/reference.ts";

/**
 * Returns the digest of an image's manifest, computed from the bytes that its registry sends. The digest of a
 * multi-platform image is the digest of its index.
 *
 * @param originOf URL of a registry's API. Default: `https://REGISTRY`.
 * @throws Error with the image's name, if the registry does not respond, or sends bytes that do not match its digest
 */
export async function resolveDigest(
  image: string,
  originOf?: (registry: string) => string,
): Promise<string> {
  const reference = parseReference(image);
  if (reference.tag === undefined || !image.includes(":"))
    throw new Error(`image ${JSON.stringify(image)}: write NAME:TAG`);
  const client = new RegistryClient(originOf === undefined ? {} : { originOf });
  try {
    return (await client.manifest(reference, reference.tag)).digest;
  } catch (error) {
    throw new Error(`${image}: ${(error as Error).message}`);
  }
}
