/** The oldest Node.js version that this package supports. It must equal `engines` in package.json. */
export const oldestNode = [22, 12] as const;

/**
 * Returns the reason why the package cannot run on a version of Node.js, in one sentence; undefined if it can.
 *
 * @param version as in `process.versions.node`, such as `22.12.0`; undefined outside Node.js, which is not checked
 */
export function nodeProblem(version: string | undefined): string | undefined {
  if (version === undefined) return undefined;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `pulumi-inference needs Node.js ${oldestNode.join(".")} or later; this is ${version}. Install a newer Node.js, then run "pulumi install" or "npm install" again.`;
}
