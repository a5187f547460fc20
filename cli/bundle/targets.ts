import type { Digest } from "../../kubernetes/registry/content.ts";
import {
  formatReference,
  type ImageReference,
  inTarget,
  parseReference,
  parseTarget,
  type Target,
  targetForm,
} from "../../kubernetes/registry/reference.ts";
import { UsageError } from "../exit-code.ts";

/** Parses the value of an option, `HOST[:PORT][/PATH]`. */
export function readTarget(text: string, option = "--registry"): Target {
  const target = parseTarget(text);
  if (target !== undefined) return target;
  throw new UsageError(`${option}: is ${JSON.stringify(text)}; allowed: ${targetForm}`);
}

/** Returns messages for images that would get the same name in a registry. */
export function collisions(references: readonly ImageReference[]): string[] {
  const groups = Map.groupBy(
    references.filter(({ tag }) => tag !== undefined),
    ({ repository, tag }) => `${repository}:${tag}`,
  );
  return [...groups].flatMap(([name, group]) => {
    const sources = new Set(group.map(({ registry }) => registry));
    return sources.size < 2
      ? []
      : [
          `${[...sources].map((registry) => `${registry}/${name}`).join(" and ")}: would be one image in --registry; push one of them under another name and use that name in the input`,
        ];
  });
}

/** Returns the reference that a manifest of the bundle has. A tag is kept for people and for `doctor`; the digest decides. */
export function referenceInManifest(
  image: string,
  digest: Digest,
  target: Target | undefined,
): string {
  if (target === undefined) return `${image.replace(/@sha256:[0-9a-f]+$/, "")}@${digest}`;
  return formatReference({ ...inTarget(parseReference(image), target), digest });
}

/** Returns a function that replaces the registry of an image by its mirror, from options `REGISTRY=HOST[:PORT][/PATH]`. */
export function mirrorsOf(texts: readonly string[]): (reference: ImageReference) => ImageReference {
  const mirrors = new Map(
    texts.map((text) => {
      const [, from, to] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (from === undefined || to === undefined)
        throw new UsageError(
          `--mirror: is ${JSON.stringify(text)}; allowed: REGISTRY=HOST[:PORT][/PATH], such as docker.io=mirror.example.com`,
        );
      return [from, readTarget(to, "--mirror")];
    }),
  );
  return (reference) => {
    const mirror = mirrors.get(reference.registry);
    return mirror === undefined ? reference : inTarget(reference, mirror);
  };
}
