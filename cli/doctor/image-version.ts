/** `[1, 14, 1]` with `-rc.1` behind it, or none. */
export interface Version {
  readonly numbers: readonly [number, number, number];
  readonly isPrerelease: boolean;
}

/** The release that an image reference names, or undefined where it names none: `latest`, or a digest alone. */
export function versionOfImage(image: string): Version | undefined {
  const tag = /:([^:/@]+)$/.exec(image.replace(/@.*/, ""))?.[1];
  const parts = /^v?(\d+)\.(\d+)\.(\d+)(-.+)?$/.exec(tag ?? "");
  if (parts === null) return undefined;
  const [, major, minor, patch, prerelease] = parts;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    isPrerelease: prerelease !== undefined,
  };
}

/** Whether a version is a given release or a later one; a prerelease comes before its release. */
export function isAtLeast(version: Version, release: Version["numbers"]): boolean {
  for (const [at, number] of release.entries()) {
    const own = version.numbers[at] ?? 0;
    if (own !== number) return own > number;
  }
  return !version.isPrerelease;
}
