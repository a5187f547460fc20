import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../../testing/repository.ts";

const run = promisify(execFile);

/** A project in which the packed package is installed, with the dependencies of this checkout. */
export interface PackedProject {
  readonly folder: string;
  remove(): void;
}

/** Builds and packs the package as `npm publish` would; takes a minute. */
export async function packedProject(): Promise<PackedProject> {
  const folder = mkdtempSync(join(tmpdir(), "tarball-"));
  await run("npm", ["pack", "--pack-destination", folder], { cwd: repositoryRoot });
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  const modules = join(folder, "node_modules");
  const own = join(modules, "pulumi-inference");
  mkdirSync(own, { recursive: true });
  await run("tar", ["-xzf", join(folder, tarball), "--strip-components=1", "-C", own]);
  for (const dependency of readdirSync(join(repositoryRoot, "node_modules"))) {
    if (dependency.startsWith(".")) continue;
    symlinkSync(join(repositoryRoot, "node_modules", dependency), join(modules, dependency));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * A project whose node_modules is as strict as with pnpm: the program finds what it has installed itself, and the
 * package finds what its package.json names.
 */
export function strictProject(packed: PackedProject, installs: readonly string[]): PackedProject {
  const folder = mkdtempSync(join(tmpdir(), "strict-"));
  const own = join(folder, "node_modules", ".pnpm", "node_modules", "pulumi-inference");
  cpSync(join(packed.folder, "node_modules", "pulumi-inference"), own, { recursive: true });
  installStrictly(folder, "pulumi-inference", installs);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Links a package of the project's store, what its package.json names, and what the program installs itself. */
function installStrictly(folder: string, name: string, installs: readonly string[]): void {
  const modules = join(folder, "node_modules");
  const store = join(modules, ".pnpm", "node_modules");
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(store, name, "package.json"), "utf8"),
  );
  const link = (parent: string, dependency: string, target: string) => {
    mkdirSync(dirname(join(parent, dependency)), { recursive: true });
    symlinkSync(target, join(parent, dependency));
  };
  const inCheckout = (dependency: string) => join(repositoryRoot, "node_modules", dependency);
  for (const dependency of Object.keys({ ...dependencies, ...peerDependencies }))
    link(store, dependency, inCheckout(dependency));
  for (const dependency of installs) link(modules, dependency, inCheckout(dependency));
  link(modules, name, join(store, name));
}
