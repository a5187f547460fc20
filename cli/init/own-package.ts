import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { readTar } from "../../kubernetes/registry/tar.ts";
import { isPublished, version } from "../../sdk/version.ts";
import { isCheckout, isStale, ownFolder } from "../checkout.ts";
import type { Terminal } from "../terminal.ts";

const ownName = "pulumi-inference";

/**
 * Returns the dependency with which npm installs the package that runs, from the same source: the registry, a URL, or a
 * packed file. In a checkout, it packs the package into `dist` if the file there is missing or older than a source.
 *
 * @param project folder of the new project, which gets a packed file if the source is not known or no longer exists
 * @throws Error if npm does not pack the package
 */
export function ownDependency(
  project: string,
  { err }: Pick<Terminal, "err">,
  root: string = ownFolder(),
): string {
  if (isCheckout(root)) {
    const file = join(root, "dist", packedName);
    if (isStale(file, root) || packageProblem(file) !== undefined) {
      err.write(`Packing ${ownName} into ${file} ...\n`);
      packPackage(root, dirname(file));
    }
    return `file:${file}`;
  }
  const source = sourceOf(root);
  if (source !== undefined) return source;
  if (isPublished) return `^${version}`;
  // The files are built: no script of the package runs.
  return `file:${basename(packPackage(root, project, ["--ignore-scripts"]))}`;
}

const packedName = `${ownName}-${version}.tgz`;

/** Returns the source that npm recorded when it installed the package; undefined if there is no record. */
function sourceOf(root: string): string | undefined {
  const modules = dirname(root);
  const record = join(modules, ".package-lock.json");
  if (basename(modules) !== "node_modules" || !existsSync(record)) return undefined;
  const { packages = {} } = JSON.parse(readFileSync(record, "utf8")) as {
    packages?: Record<string, { resolved?: string }>;
  };
  const { resolved } = packages[`node_modules/${ownName}`] ?? {};
  if (resolved === undefined) return undefined;
  if (resolved.startsWith("file:")) {
    const file = resolve(dirname(modules), resolved.slice("file:".length));
    return existsSync(file) ? `file:${file}` : undefined;
  }
  // A tarball of a registry: `https://REGISTRY/NAME/-/NAME-VERSION.tgz`.
  return resolved.includes(`/${ownName}/-/`) ? `^${version}` : resolved;
}

/**
 * Packs the npm package of a folder. Returns the path of the file.
 *
 * @throws Error if npm fails, or did not write a package of this version
 */
export function packPackage(root: string, folder: string, flags: readonly string[] = []): string {
  mkdirSync(folder, { recursive: true });
  const pack = ["pack", "--silent", ...flags, "--pack-destination", resolve(folder)];
  const packed = execFileSync("npm", pack, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const file = join(folder, packed.trim().split("\n").at(-1) ?? "");
  const problem = packageProblem(file);
  if (problem !== undefined)
    throw new Error(`npm pack ended with exit code 0, but ${file}: ${problem}`);
  return file;
}

/** Returns why a file is not this version of the package; undefined if it is. */
export function packageProblem(file: string): string | undefined {
  try {
    const files = readTar(gunzipSync(readFileSync(file)));
    const about = JSON.parse(files.get("package/package.json")?.toString("utf8") ?? "{}");
    const found = `${about.name}@${about.version}`;
    if (found !== `${ownName}@${version}`) return `contains ${found}`;
    const missing = [
      "dist/components/index.js",
      "dist/cli/main.js",
      "policies/serve-pack.cjs",
    ].find((path) => !files.has(`package/${path}`));
    return missing === undefined ? undefined : `contains no ${missing}`;
  } catch (error) {
    return (error as Error).message;
  }
}
