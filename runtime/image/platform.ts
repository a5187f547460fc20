/** Architectures of the image, by OCI's names. */
export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

/** Content of the image for a platform: Node.js and the libraries that it is linked with. */
export interface Platform {
  readonly architecture: Architecture;
  /** Folder of Node.js' npm package. */
  readonly node: string;
  /** The libraries, including the loader. */
  readonly libraries: readonly Library[];
  /** The Debian packages of the libraries. */
  readonly packages: readonly DebianPackage[];
}

export interface Library {
  /** Path of the library on this machine. */
  readonly file: string;
  /** Path of the library in the image. */
  readonly path: string;
}

export interface DebianPackage {
  readonly name: string;
  /** Entry of the package in dpkg's status file. */
  readonly status: string;
  /** File with its licenses. */
  readonly copyright: string;
}
