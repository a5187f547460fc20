import { z } from "zod";

/** Media types of manifests: indexes, which list the manifests of platforms, and images. */
const indexTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];
const imageTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

/** Indexes are first, because the digest of a multi-platform image is the digest of its index. */
export const acceptedTypes = [...indexTypes, ...imageTypes].join(", ");

export const isIndex = (mediaType: string): boolean => indexTypes.includes(mediaType);
export const isImage = (mediaType: string): boolean => imageTypes.includes(mediaType);

/** Parser of digests: `sha256:` and 64 hexadecimal digits. Such a string is safe in a path and in a URL. */
export const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, "allowed: sha256: and 64 hexadecimal digits")
  .brand<"Digest">();

/** Digest of a content. */
export type Digest = z.infer<typeof digest>;

/** Parses a digest of a registry or a file. Returns undefined for any other text. */
export const parseDigest = (text: unknown): Digest | undefined => digest.safeParse(text).data;

/** Type and subtype of RFC 6838. It becomes a header of a request. */
const mediaType = z
  .string()
  .regex(/^[\w.+-]{1,127}\/[\w.+-]{1,127}$/, "allowed: a media type, such as application/json");

/** Part of a platform's name. It is printed. */
const platformPart = z.string().regex(/^[\w.-]{0,64}$/);

const descriptor = z.object({
  mediaType,
  digest,
  /** In bytes. */
  size: z.int().nonnegative(),
  platform: z
    .object({ os: platformPart, architecture: platformPart, variant: platformPart.optional() })
    .optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

/** Reference by content, as in indexes and manifests. */
export type Descriptor = z.infer<typeof descriptor>;

const manifestContent = z.object({
  mediaType: mediaType.optional(),
  manifests: z.array(descriptor).optional(),
  config: descriptor.optional(),
  layers: z.array(descriptor).optional(),
});

/** Fields of an index and of an image's manifest that name other contents. */
export type ManifestContent = z.infer<typeof manifestContent>;

/**
 * Parses an index or a manifest of a registry or a bundle.
 *
 * @param what name of the content, for messages
 * @throws Error with every problem
 */
export const parseManifest = (bytes: Uint8Array, what: string): ManifestContent =>
  parseJson(manifestContent, bytes, what);

/**
 * Parses JSON of another program.
 *
 * @throws Error with every problem
 */
export function parseJson<T>(schema: z.ZodType<T>, bytes: Uint8Array, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (error) {
    throw new Error(`${what}: is not JSON (${(error as Error).message})`);
  }
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data as T;
  const problems = error.issues.slice(0, mostProblems).map(({ path, message }) => {
    const at = path.map(String).join(".");
    return at === "" ? message : `${at}: ${message}`;
  });
  throw new Error(`${what}: ${problems.join("; ")}`);
}

/** Problems of one text in a message. */
const mostProblems = 5;
