import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../harness/repository.ts";

const run = promisify(execFile);

/** A project that has the packed package installed, and its dependencies as this checkout has them. */
export interface PackedProject {
  readonly folder: string;
  remove(): void;
}

/** Builds and packs the package as `npm publish` would; takes a minute. */
export async function packedProject(): Promise<PackedProject> {
  const folder = mkdtempSync(join(tmpdir(), "tarball-"));
  await run("npm", ["run", "--silent", "build"], { cwd: repositoryRoot });
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
