/** Major, minor and patch. */
export type Version = readonly [major: number, minor: number, patch?: number];

/** Returns whether a version is at least another one; undefined if the version is unknown. */
export function isAtLeast(version: Version | undefined, least: Version): boolean | undefined {
  if (version === undefined) return undefined;
  for (const [at, part] of least.entries()) {
    const difference = (version[at] ?? 0) - (part ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
