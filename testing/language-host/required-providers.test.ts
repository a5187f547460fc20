import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { requiredProviders } from "./required-providers.ts";

const project = mkdtempSync(join(tmpdir(), "required-"));
afterAll(() => rmSync(project, { recursive: true }));

function install(folder: string, name: string, version: string): void {
  const installed = join(folder, "node_modules/@pulumi", name);
  mkdirSync(installed, { recursive: true });
  const about = { version, pulumi: { resource: true, name } };
  writeFileSync(join(installed, "package.json"), JSON.stringify(about));
}

it("a program requires the providers of the packages above it, a plugin those in its own folder", () => {
  install(project, "kubernetes", "4.34.2");
  const folder = join(project, "node_modules/pulumi-inference/plugin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "PulumiPlugin.yaml"), "runtime: nodejs\n");
  const kubernetes = { name: "kubernetes", version: "4.34.2" };
  expect(requiredProviders(project)).toEqual([kubernetes]);
  expect(requiredProviders(folder)).toEqual([]);
  install(folder, "random", "4.16.0");
  expect(requiredProviders(folder)).toEqual([{ name: "random", version: "4.16.0" }]);
});
