import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it.each([
  ["darwin", "arm64"],
  ["darwin", "x64"],
  ["linux", "arm64"],
  ["win32", "x64"],
])("on %s, %s the scripts say where they run, and end", (platform, arch) => {
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
