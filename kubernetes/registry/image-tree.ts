import type { Descriptor, ManifestContent } from "./content.ts";

/** A manifest, and the contents that it names. */
export interface ManifestNode {
  readonly descriptor: Descriptor;
  readonly content: ManifestContent;
}

/** Manifests of an image. The largest public images have a few dozen. */
const mostManifests = 1_000;

/**
 * Reads the manifests of an image, each once, and those in an index before the index.
 *
 * @throws Error if the image has more than 1,000 manifests
 */
export async function readImageTree(
  root: Descriptor,
  read: (descriptor: Descriptor) => Promise<ManifestContent>,
): Promise<ManifestNode[]> {
  const nodes = new Map<string, ManifestNode>();
  const seen = new Set<string>();
  const visit = async (descriptor: Descriptor): Promise<void> => {
    if (seen.has(descriptor.digest)) return;
    seen.add(descriptor.digest);
    if (seen.size > mostManifests)
      throw new Error(`the image has more than ${mostManifests} manifests`);
    const content = await read(descriptor);
    for (const each of content.manifests ?? []) await visit(each);
    nodes.set(descriptor.digest, { descriptor, content });
  };
  await visit(root);
  return [...nodes.values()];
}

/** Returns the configurations and layers of an image, each once. */
export const blobsOf = (nodes: readonly ManifestNode[]): Descriptor[] => [
  ...new Map(
    nodes
      .flatMap(({ content: { config, layers = [] } }) =>
        config === undefined ? [] : [config, ...layers],
      )
      .map((blob) => [blob.digest, blob]),
  ).values(),
];
