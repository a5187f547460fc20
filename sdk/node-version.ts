/** The oldest Node.js that this package runs on; `engines` in package.json says the same. */
export const oldestNode = [22, 12] as const;

/**
 * Why the package cannot run on a Node.js, in one sentence; undefined where it can.
 *
 * @param version as `process.versions.node` has it, `22.12.0`; none outside Node.js, which is not judged
 */
export function nodeProblem(version: string | undefined): string | undefined {
  if (version === undefined) return undefined;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `pulumi-inference needs Node.js ${oldestNode.join(".")} or later; this is ${version}. Install a newer Node.js, then run "pulumi install" or "npm install" again.`;
}
