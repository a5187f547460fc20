import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { requiredProviders } from "../language-host/required-providers.ts";
import { findPulumi } from "./pulumi-programs.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-programs-"));
  vi.stubEnv("PULUMI_HOME", join(folder, "home"));
  vi.stubEnv("PULUMI_BIN", join(folder, "bin"));
  vi.stubEnv("PATH", join(folder, "path"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function write(path: string, text = "") {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
}

describe("findPulumi", () => {
  const installed = () => ({
    path: [join(folder, "bin"), join(folder, "path")].join(delimiter),
    isBuilt: false,
  });

  it("uses the programs of PULUMI_BIN", async () => {
    for (const name of ["pulumi", "pulumi-language-nodejs", "pulumi-resource-kubernetes"])
      write(`bin/${name}`);
    await expect(findPulumi()).resolves.toEqual(installed());
  });

  it("adds a provider that is installed as a plugin to PATH, so that PULUMI_HOME of the user is not needed", async () => {
    for (const name of ["pulumi", "pulumi-language-nodejs"]) write(`bin/${name}`);
    const plugin = "home/plugins/resource-kubernetes-v4.34.2";
    write(`${plugin}/pulumi-resource-kubernetes`);
    write("home/plugins/resource-kubernetes-v4.34.2.lock");
    const { path } = installed();
    const withPlugin = { path: [path, join(folder, plugin)].join(delimiter), isBuilt: false };
    await expect(findPulumi()).resolves.toEqual(withPlugin);
  });

  it("refuses a PULUMI_BIN without a language host and names the missing program", async () => {
    for (const name of ["pulumi", "pulumi-resource-kubernetes"]) write(`bin/${name}`);
    await expect(findPulumi()).rejects.toThrow(
      `PULUMI_BIN is ${join(folder, "bin")}, but neither it nor PATH contains pulumi-language-nodejs.`,
    );
  });
});

describe("the language host", () => {
  it("requires the provider of an installed package, by its version", () => {
    const text = (fields: object) => JSON.stringify({ version: "4.34.2", ...fields });
    write("node_modules/@pulumi/kubernetes/package.json", text({ pulumi: { resource: true } }));
    write("node_modules/@pulumi/policy/package.json", text({}));
    expect(requiredProviders(join(folder, "examples", "quickstart"))).toEqual([
      { name: "kubernetes", version: "4.34.2" },
    ]);
  });
});
