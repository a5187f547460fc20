import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

it.each([
  ["darwin", "arm64"],
  ["darwin", "x64"],
  ["linux", "arm64"],
  ["win32", "x64"],
])("install.js fails on %s, %s with the supported platform", (platform, arch) => {
  const pretend = `for (const [name, value] of Object.entries(${JSON.stringify({ platform, arch })}))
    Object.defineProperty(process, name, { value });`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, "install.js"],
    { cwd: join(import.meta.dirname), encoding: "utf8" },
  );
  expect(status).toBe(1);
  expect(stderr).toContain(`run on Linux on x86-64; this is ${platform} on ${arch}.\n`);
  expect(stderr).toContain("Use a Linux machine on x86-64, a virtual machine or a container:\n");
});

it("install.js refuses a node_modules that is a symbolic link", () => {
  const root = mkdtempSync(join(tmpdir(), "pulumi-inference-install-"));
  mkdirSync(join(root, "scripts"));
  cpSync(join(import.meta.dirname, "install.js"), join(root, "scripts/install.js"));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }');
  writeFileSync(join(root, "package-lock.json"), "{}");
  symlinkSync(join(root, "scripts"), join(root, "node_modules"));
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/install.js")], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("is a symbolic link");
});

it("scripts of package.json run on the Node.js that they install", () => {
  const file = join(import.meta.dirname, "../package.json");
  const { scripts } = JSON.parse(readFileSync(file, "utf8")) as { scripts: Record<string, string> };
  const installing = Object.values(scripts).filter((script) => script.includes("install.js"));
  // A shell remembers the path of `node` unless it replaces itself or forgets its paths.
  for (const script of installing)
    expect(script).toMatch(/^node scripts\/install\.js && (exec|hash -r &&) /);
  expect(installing.length).toBeGreaterThan(10);
});
