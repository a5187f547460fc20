import { createHash } from "node:crypto";

/** An image in the terms of its registry's API. */
export interface ImageReference {
  /** Host of the registry's API; `registry-1.docker.io` for Docker Hub. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
}

/** Parses `registry/repository:tag`; an image without a registry is on Docker Hub. */
export function parseImage(image: string): ImageReference {
  const [, path = "", tag = ""] = /^([^@]+):([\w][\w.-]*)$/.exec(image) ?? [];
  if (path === "") throw new Error(`image ${JSON.stringify(image)}: write NAME:TAG`);
  const parts = path.split("/");
  const isHost = parts.length > 1 && /[.:]|^localhost$/.test(parts[0] ?? "");
  const [host = "", ...rest] = isHost ? parts : ["registry-1.docker.io", ...parts];
  const repository = rest.length === 1 && !isHost ? `library/${rest[0]}` : rest.join("/");
  return { registry: host, repository, tag };
}

/** Indexes are first, because the digest of a multi-platform image is the digest of its index. */
const accepted = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/**
 * Returns the digest of an image's manifest, computed from the bytes that its registry sends.
 *
 * @param originOf URL of a registry's API. Default: `https://REGISTRY`.
 * @throws Error with the image's name, if the registry does not respond, or sends bytes that do not match its digest
 */
export async function resolveDigest(
  image: string,
  originOf = (registry: string) => `https://${registry}`,
): Promise<string> {
  const { registry, repository, tag } = parseImage(image);
  const url = `${originOf(registry)}/v2/${repository}/manifests/${tag}`;
  const ask = (headers: Record<string, string>) =>
    fetch(url, {
      headers: { accept: accepted, ...headers },
      signal: AbortSignal.timeout(30_000),
    });
  let response = await ask({});
  if (response.status === 401) {
    const token = await tokenFor(response.headers.get("www-authenticate") ?? "");
    response = await ask({ authorization: `Bearer ${token}` });
  }
  const body = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${image}: ${registry} answered ${response.status}`);
  const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
  const told = response.headers.get("docker-content-digest") ?? digest;
  if (told !== digest)
    throw new Error(`${image}: ${registry} sent bytes of ${digest} and names them ${told}`);
  return digest;
}

/** Returns an anonymous token from the service in a registry's challenge. */
async function tokenFor(challenge: string): Promise<string> {
  const fields = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  const realm = fields.get("realm");
  if (!/^bearer /i.test(challenge) || realm === undefined)
    throw new Error(`cannot log in without a name: ${challenge || "no challenge"}`);
  const url = new URL(realm);
  for (const key of ["service", "scope"]) {
    const value = fields.get(key);
    if (value !== undefined) url.searchParams.set(key, value);
  }
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(`${url.origin} answered ${response.status} for a token`);
  const { token, access_token } = (await response.json()) as Record<string, string | undefined>;
  const found = token ?? access_token;
  if (found === undefined) throw new Error(`${url.origin} sent no token`);
  return found;
}
