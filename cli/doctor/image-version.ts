/** `[1, 14, 1]` with an optional suffix such as `-rc.1`. */
export interface Version {
  readonly numbers: readonly [number, number, number];
  readonly isPrerelease: boolean;
}

/** Returns the release in an image reference; undefined if it contains none, as with `latest` or only a digest. */
export function versionOfImage(image: string): Version | undefined {
  return parseVersion(/:([^:/@]+)$/.exec(image.replace(/@.*/, ""))?.[1] ?? "");
}

/** Parses a release such as `v1.14.1`; undefined for any other text. */
export function parseVersion(text: string): Version | undefined {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)(-.+)?$/.exec(text);
  if (parts === null) return undefined;
  const [, major, minor, patch, prerelease] = parts;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    isPrerelease: prerelease !== undefined,
  };
}

/** Returns whether a version is a given release or a later one; a prerelease is older than its release. */
export function isAtLeast(version: Version, release: Version["numbers"]): boolean {
  for (const [at, number] of release.entries()) {
    const own = version.numbers[at] ?? 0;
    if (own !== number) return own > number;
  }
  return !version.isPrerelease;
}
