import { type Digest, parseDigest } from "./content.ts";

/** An image reference, `registry/repository:tag@digest`, with the defaults of container runtimes. */
export interface ImageReference {
  /** Name of the registry, `docker.io` by default. */
  readonly registry: string;
  /** Path in the registry, such as `library/nginx`. */
  readonly repository: string;
  /** Undefined if the reference has a digest only. */
  readonly tag: string | undefined;
  readonly digest: Digest | undefined;
}

const repository =
  /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const host = /^(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-fA-F:]+\])(?::\d+)?$/;
const tail = /^(.*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/**
 * Parses an image reference. An image without a registry is on Docker Hub; without a tag and a digest it has the tag
 * `latest`.
 *
 * @throws Error with the reference
 */
export function parseReference(image: string): ImageReference {
  const [, name = "", tag, digest] = tail.exec(image) ?? [];
  const parts = name.split("/");
  const first = parts[0] ?? "";
  const hasHost = parts.length > 1 && /[.:\]]|^localhost$/.test(first);
  const registry = hasHost ? first : "docker.io";
  const path = (hasHost ? parts.slice(1) : parts).join("/");
  if (!repository.test(path) || !host.test(registry))
    throw new Error(
      `image ${JSON.stringify(image)}: is not an image reference; allowed: [REGISTRY/]NAME[:TAG][@sha256:DIGEST] in lower case`,
    );
  return {
    registry: registry === "index.docker.io" ? "docker.io" : registry,
    repository: registry === "docker.io" && !path.includes("/") ? `library/${path}` : path,
    tag: tag ?? (digest === undefined ? "latest" : undefined),
    digest: parseDigest(digest),
  };
}

/** Returns the full form of a reference, such as `docker.io/library/nginx:1@sha256:...`. */
export function formatReference({ registry, repository, tag, digest }: ImageReference): string {
  return [
    `${registry}/${repository}`,
    tag === undefined ? "" : `:${tag}`,
    digest === undefined ? "" : `@${digest}`,
  ].join("");
}

/** A registry, and the path below which copies of images are stored. */
export interface Target {
  readonly registry: string;
  /** Empty for the registry's root; else it ends in a slash. */
  readonly prefix: string;
}

/** The form of a target, in messages. */
export const targetForm = "HOST[:PORT][/PATH], such as registry.example.com/inference";

/** Parses `HOST[:PORT][/PATH]`. Returns undefined for any other text. */
export function parseTarget(text: string): Target | undefined {
  const [registry = "", ...path] = text.replace(/\/$/, "").split("/");
  try {
    const parsed = parseReference(`${registry}/${[...path, "image"].join("/")}`);
    if (parsed.registry !== registry || parsed.tag !== "latest") return undefined;
  } catch {
    return undefined;
  }
  return { registry, prefix: path.length === 0 ? "" : `${path.join("/")}/` };
}

/** Returns the place of an image in a registry. The name of its own registry is left out, as in mirrors of containerd. */
export const inTarget = (reference: ImageReference, target: Target): ImageReference => ({
  ...reference,
  registry: target.registry,
  repository: `${target.prefix}${reference.repository}`,
});
