import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadProject, readProject } from "./project.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "recorder-project-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const pulumiYaml = (text: string) => writeFileSync(join(dir, "Pulumi.yaml"), text);

describe("Pulumi.yaml", () => {
  test("a main that is a file runs in its folder", () => {
    mkdirSync(join(dir, "sub"));
    writeFileSync(join(dir, "sub", "index.ts"), "");
    pulumiYaml(
      "name: p\nmain: sub/index.ts\nruntime: {name: nodejs, options: {typescript: false, nodeargs: --conditions=source '--title=a b'}}",
    );
    expect(readProject(dir)).toEqual({
      name: "p",
      root: dir,
      directory: join(dir, "sub"),
      entryPoint: "index.ts",
      nodeArgs: ["--conditions=source", "--title=a b"],
      typescript: false,
    });
  });

  test("runs the folder's package with type checks, if it is missing", () => {
    pulumiYaml("name: p\nruntime: nodejs\n");
    expect(readProject(dir)).toMatchObject({
      directory: dir,
      entryPoint: ".",
      nodeArgs: [],
      typescript: true,
    });
  });

  test.each([
    ["runtime: nodejs", "name is missing"],
    ["name: p\nruntime: python", 'runtime "python" is not supported'],
    ["name: p\nruntime: nodejs\nmain: none.ts", 'main "none.ts" does not exist'],
  ])("%j is refused", (text, message) => {
    pulumiYaml(text);
    expect(() => readProject(dir)).toThrow(message);
  });

  test("a folder without it is refused", () => {
    expect(() => readProject(dir)).toThrow("has no Pulumi.yaml");
  });
});

describe("Pulumi.<stack>.yaml", () => {
  const salt = "v1:0ec8cIcl3D0=:v1:xDHYAZLRpQek1Zxg:puQx4AQMoJWXqVnohE8hr4hNENDqLw==";

  test("contains the configuration, with separate secrets", async () => {
    pulumiYaml("name: proj\nruntime: nodejs\n");
    writeFileSync(
      join(dir, "Pulumi.dev.yaml"),
      `encryptionsalt: ${salt}\nconfig:\n  replicas: 3\n  kubernetes:context: c\n  proj:list: [1, a]\n  proj:token: {secure: "v1:LJlzd0UoemihfElq:bkDcUA8GsVV+GzzU/hOqr0vvhzGtmw=="}\n`,
    );
    expect(await loadProject(dir, "dev", () => "x")).toEqual({
      project: "proj",
      stack: "dev",
      program: { dir },
      config: { "proj:replicas": "3", "kubernetes:context": "c", "proj:list": '[1,"a"]' },
      secretConfig: { "proj:token": "s3cr3t" },
    });
    await expect(loadProject(dir, "dev", () => undefined)).rejects.toThrow("no passphrase is set");
  });

  test("may be absent", async () => {
    pulumiYaml("name: proj\nruntime: nodejs\n");
    expect(await loadProject(dir, "dev", () => undefined)).toMatchObject({
      config: {},
      secretConfig: {},
    });
  });
});
