import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Platform } from "./platform.ts";

const repository = join(import.meta.dirname, "..", "..");

const passwd = "root:x:0:0:root:/:/none\nnonroot:x:65532:65532:nonroot:/:/none\n";
const group = "root:x:0:\nnonroot:x:65532:\n";

/**
 * Creates the image's files in a folder: the bundle, Node.js of a platform with the C libraries that it is linked with,
 * their package data at the path that scanners read, and all licenses.
 *
 * @param bundled folder of the bundle
 */
export async function stageRootFileSystem(
  folder: string,
  bundled: string,
  { node, libraries, packages }: Platform,
): Promise<void> {
  await copy(join(node, "bin", "node"), join(folder, "node"), 0o755);
  for (const file of ["main.cjs", "health-thread.cjs"])
    await copy(join(bundled, file), join(folder, "app", file), 0o644);
  for (const { file, path } of libraries) await copy(file, join(folder, path), 0o755);
  await write(join(folder, "etc", "passwd"), passwd);
  await write(join(folder, "etc", "group"), group);

  const licenses = join(folder, "licenses");
  await copy(join(repository, "LICENSE"), join(licenses, "pulumi-inference"), 0o644);
  await copy(join(bundled, "LICENSES"), join(licenses, "packages"), 0o644);
  await copy(join(node, "LICENSE"), join(licenses, "node"), 0o644);
  for (const { name, status, copyright } of packages) {
    await write(join(folder, "var", "lib", "dpkg", "status.d", name), status);
    await copy(copyright, join(licenses, name), 0o644);
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
