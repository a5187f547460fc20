import { digestOf, type RegistryClient } from "../../kubernetes/registry/client.ts";
import type { Descriptor } from "../../kubernetes/registry/content.ts";
import { parseReference } from "../../kubernetes/registry/reference.ts";

/** Contents of a generated image, which no container can run: a small layer and a configuration for each platform. */
export interface GeneratedImage {
  /** Bytes of the index, or of the only manifest. */
  readonly root: Content;
  /** The manifests below an index. */
  readonly manifests: readonly Content[];
  readonly blobs: readonly Content[];
}

export type Content = Descriptor & { readonly bytes: Buffer };

const contentOf = (mediaType: string, value: string | object): Content => {
  const bytes = Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
  return { mediaType, digest: digestOf(bytes), size: bytes.length, bytes };
};

const descriptorOf = ({ mediaType, digest, size }: Content): Descriptor => ({
  mediaType,
  digest,
  size,
});

/** Generates an image whose bytes depend on the seed. */
export function generatedImage(
  seed: string,
  { architectures = ["amd64", "arm64"], isIndex = true, layerBytes = 1_000 } = {},
): GeneratedImage {
  const oci = "application/vnd.oci.image";
  const blobs: Content[] = [];
  const manifests = architectures.map((architecture) => {
    const text = `${seed} ${architecture} `;
    const layer = contentOf(
      `${oci}.layer.v1.tar`,
      text.repeat(Math.ceil(layerBytes / text.length)).slice(0, layerBytes),
    );
    const config = contentOf(`${oci}.config.v1+json`, {
      ...{ os: "linux", architecture, config: { Labels: { seed } } },
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    });
    blobs.push(config, layer);
    const manifest = contentOf(`${oci}.manifest.v1+json`, {
      ...{ schemaVersion: 2, mediaType: `${oci}.manifest.v1+json` },
      ...{ config: descriptorOf(config), layers: [descriptorOf(layer)] },
    });
    return { ...manifest, platform: { os: "linux", architecture } };
  });
  const [only] = manifests;
  if (!isIndex && only !== undefined) return { root: only, manifests: [], blobs };
  const index = contentOf(`${oci}.index.v1+json`, {
    ...{ schemaVersion: 2, mediaType: `${oci}.index.v1+json` },
    manifests: manifests.map((each) => ({ ...descriptorOf(each), platform: each.platform })),
  });
  return { root: index, manifests, blobs };
}

/** Pushes a generated image to a registry. */
export async function pushGenerated(
  client: RegistryClient,
  image: string,
  { root, manifests, blobs }: GeneratedImage,
): Promise<void> {
  const reference = parseReference(image);
  for (const { digest, size, bytes } of blobs)
    await client.putBlob(reference, { digest, size, open: () => new Blob([bytes]).stream() });
  for (const each of manifests) await client.putManifest(reference, each.digest, each);
  await client.putManifest(reference, reference.tag ?? root.digest, root);
}
