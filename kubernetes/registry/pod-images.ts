import type { Manifest } from "../values/manifest.ts";
import { isMap } from "../values/records.ts";

const containerLists = ["containers", "initContainers", "ephemeralContainers"];

/** Returns the images of some objects, each once: the images of containers and of image volumes in any pod template. */
export function imagesOf(manifests: readonly Manifest[]): string[] {
  const images = new Set<string>();
  for (const manifest of manifests)
    withImages(manifest, (image) => {
      images.add(image);
      return image;
    });
  return [...images].sort();
}

/** Returns a copy of an object with other images. A CustomResourceDefinition is returned as it is: it has no pods. */
export function withImages(manifest: Manifest, change: (image: string) => string): Manifest {
  if (manifest.kind === "CustomResourceDefinition") return manifest;
  return changed(manifest, change) as Manifest;
}

function changed(value: unknown, change: (image: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => changed(each, change));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (!Array.isArray(each)) return [key, changed(each, change)];
      const isContainers = containerLists.includes(key);
      return [key, each.map((item) => withImage(changed(item, change), isContainers, key, change))];
    }),
  );
}

function withImage(
  item: unknown,
  isContainer: boolean,
  key: string,
  change: (image: string) => string,
): unknown {
  if (!isMap(item)) return item;
  if (isContainer && typeof item.image === "string") return { ...item, image: change(item.image) };
  if (key === "volumes" && isMap(item.image) && typeof item.image.reference === "string")
    return { ...item, image: { ...item.image, reference: change(item.image.reference) } };
  return item;
}
