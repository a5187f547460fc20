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

/** A project that has the packed package installed, and its dependencies as this checkout has them. */
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
 * A project whose node_modules is as strict as pnpm's: the program finds what it has installed itself, and the package
 * finds what its package.json names.
 */
export function strictProject(packed: PackedProject, installs: readonly string[]): PackedProject {
  const folder = mkdtempSync(join(tmpdir(), "strict-"));
  const modules = join(folder, "node_modules");
  const store = join(modules, ".pnpm", "node_modules");
  const own = join(store, "pulumi-inference");
  mkdirSync(store, { recursive: true });
  cpSync(join(packed.folder, "node_modules", "pulumi-inference"), own, { recursive: true });
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(own, "package.json"), "utf8"),
  );
  const link = (parent: string, name: string, target: string) => {
    mkdirSync(dirname(join(parent, name)), { recursive: true });
    symlinkSync(target, join(parent, name));
  };
  const inCheckout = (name: string) => join(repositoryRoot, "node_modules", name);
  for (const name of Object.keys({ ...dependencies, ...peerDependencies }))
    link(store, name, inCheckout(name));
  for (const name of installs) link(modules, name, inCheckout(name));
  link(modules, "pulumi-inference", own);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
