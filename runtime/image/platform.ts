/** Architectures that the image is made for, by OCI's names. */
export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

/** What the image has of a platform: Node.js and what Node.js is linked with. */
export interface Platform {
  readonly architecture: Architecture;
  /** Folder of Node.js' npm package. */
  readonly node: string;
  /** The libraries, the loader among them. */
  readonly libraries: readonly Library[];
  /** The packages that they come from. */
  readonly packages: readonly DebianPackage[];
}

export interface Library {
  /** The library's path on this machine. */
  readonly file: string;
  /** Its path in the image. */
  readonly path: string;
}

export interface DebianPackage {
  readonly name: string;
  /** Its paragraph of dpkg's status. */
  readonly status: string;
  /** File with its licenses. */
  readonly copyright: string;
}
