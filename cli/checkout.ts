import { existsSync, globSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Returns the folder of the package that runs: a checkout, or an installed package. */
export const ownFolder = (): string =>
  dirname(createRequire(import.meta.url).resolve("pulumi-inference/package.json"));

/** Returns whether a folder of the package is a checkout, whose files are built from TypeScript. */
export const isCheckout = (root: string): boolean => existsSync(join(root, "cli", "main.ts"));

const sources = [
  "{cli,components,crds,engine,kubernetes,policies,runtime,scheduling,sdk,upgrade}/**/*.ts",
  "package.json",
  "plugin/*",
];

/** Returns whether a built file of a checkout is missing, or older than a source. */
export function isStale(file: string, root: string): boolean {
  const built = statSync(file, { throwIfNoEntry: false });
  if (built === undefined) return true;
  return globSync(sources, { cwd: root, exclude: (name) => name === "node_modules" }).some(
    (path) => statSync(join(root, path)).mtimeMs > built.mtimeMs,
  );
}
