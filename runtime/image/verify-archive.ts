import { digestOf } from "../../kubernetes/registry/client.ts";
import { type Digest, parseManifest } from "../../kubernetes/registry/content.ts";
import { readTar } from "../../kubernetes/registry/tar.ts";

/**
 * Returns the digest of the only image in an OCI archive, after its manifest and every blob were compared with their
 * digests.
 *
 * @param id digest of the configuration of the image that was built
 * @throws Error if the archive is incomplete, damaged, or has another image
 */
export function verifyArchive(archive: Buffer, id: string): string {
  const files = readTar(archive);
  const blob = (digest: Digest): Buffer => {
    const bytes = files.get(`blobs/${digest.replace(":", "/")}`);
    if (bytes === undefined) throw new Error(`the archive lacks the blob ${digest}`);
    const actual = digestOf(bytes);
    if (actual !== digest) throw new Error(`the archive has bytes of ${actual} as ${digest}`);
    return bytes;
  };
  const { manifests = [] } = parseManifest(
    files.get("index.json") ?? Buffer.from("{}"),
    "index.json",
  );
  const [manifest, ...others] = manifests;
  if (manifest === undefined || others.length > 0)
    throw new Error(`the archive has ${manifests.length} images instead of one`);
  const { digest } = manifest;
  const { config, layers = [] } = parseManifest(blob(digest), `the manifest ${digest}`);
  if (config?.digest !== id)
    throw new Error(`the archive has the image ${config?.digest} instead of ${id}`);
  for (const each of [config, ...layers]) blob(each.digest);
  return digest;
}
