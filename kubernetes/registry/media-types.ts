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

/** Reference by content, as in indexes and manifests. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: {
    readonly os: string;
    readonly architecture: string;
    readonly variant?: string;
  };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Fields of an index and of an image's manifest that name other contents. */
export interface ManifestContent {
  readonly mediaType?: string;
  readonly manifests?: readonly Descriptor[];
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
}
