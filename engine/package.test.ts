import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

interface Package {
  readonly version: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const read = (path: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8")) as Package;
const [engine, root] = [read("package.json"), read("../package.json")];

it("the engine's package has the version and the Node.js range of this package", () => {
  expect(engine).toMatchObject({ version: root.version, engines: root.engines });
});

it("the engine's package has each dependency in the version of this package", () => {
  // This package bundles some of them.
  expect({ ...root.devDependencies, ...root.dependencies }).toMatchObject(engine.dependencies);
  expect(root.peerDependencies).toMatchObject(engine.peerDependencies);
});
