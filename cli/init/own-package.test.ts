import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { version } from "../../sdk/version.ts";
import { folderOf } from "../sample.fixture.ts";
import { ownDependency, packageProblem } from "./own-package.ts";

const quiet = { err: { write: () => {}, colour: false } };

/** Writes an installed package, with npm's record of its source. Returns its folder. */
function installed(folder: string, resolved: string | undefined): string {
  const root = join(folder, "node_modules", "pulumi-inference");
  for (const path of ["dist/cli", "dist/components", "policies"])
    mkdirSync(join(root, path), { recursive: true });
  for (const path of ["dist/cli/main.js", "dist/components/index.js", "policies/serve-pack.cjs"])
    writeFileSync(join(root, path), "");
  writeFileSync(
    join(root, "package.json"),
    JSON.stringify({
      name: "pulumi-inference",
      version,
      scripts: { prepack: "exit 1" },
    }),
  );
  if (resolved !== undefined)
    writeFileSync(
      join(folder, "node_modules", ".package-lock.json"),
      JSON.stringify({ packages: { "node_modules/pulumi-inference": { resolved } } }),
    );
  return root;
}

it.each([
  ["https://registry.npmjs.org/pulumi-inference/-/pulumi-inference-0.1.0.tgz", `^${version}`],
  ["https://npm.example.com/team/pulumi-inference/-/pulumi-inference-0.1.0.tgz", `^${version}`],
  ["https://files.example.com/p.tgz", "https://files.example.com/p.tgz"],
  ["git+ssh://git@github.com/a/b.git#123", "git+ssh://git@github.com/a/b.git#123"],
])("a package that npm installed from %s is the dependency %s", (resolved, dependency) => {
  using folder = folderOf({});
  expect(ownDependency("/nowhere", quiet, installed(folder.path, resolved))).toBe(dependency);
});

it("a package that npm installed from a file is the dependency on this file", () => {
  using folder = folderOf({ "p.tgz": "" });
  const dependency = ownDependency("/nowhere", quiet, installed(folder.path, "file:p.tgz"));
  expect(dependency).toBe(`file:${join(folder.path, "p.tgz")}`);
});

it.each([undefined, "file:gone.tgz"])(
  "a package from %s is packed into the project, without its scripts",
  (resolved) => {
    using folder = folderOf({});
    using project = folderOf({});
    const dependency = ownDependency(project.path, quiet, installed(folder.path, resolved));
    expect(dependency).toBe(`file:pulumi-inference-${version}.tgz`);
    expect(packageProblem(join(project.path, dependency.slice("file:".length)))).toBeUndefined();
  },
);

it("an npm that exits with 0 and writes nothing is an error", () => {
  using folder = folderOf({ npm: "#!/bin/sh\nexit 0\n" });
  chmodSync(join(folder.path, "npm"), 0o755);
  vi.stubEnv("PATH", folder.path);
  try {
    const root = installed(folder.path, undefined);
    expect(() => ownDependency(folder.path, quiet, root)).toThrow(
      "npm pack ended with exit code 0",
    );
  } finally {
    vi.unstubAllEnvs();
  }
});

it.each([
  [undefined, "ENOENT"],
  [Buffer.from("no archive"), "incorrect header check"],
  [gzipSync(""), "contains undefined@undefined"],
])("packageProblem reports a file that npm did not write", (bytes, problem) => {
  using folder = folderOf({});
  const file = join(folder.path, "p.tgz");
  if (bytes !== undefined) writeFileSync(file, bytes);
  expect(packageProblem(file)).toContain(problem);
});
