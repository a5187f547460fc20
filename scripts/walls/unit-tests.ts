import { type Imports, importsOf, sourceFiles } from "./source-imports.ts";

/** Modules with which a test can start programs or reach a server. */
const outside = new Set([
  "@grpc/grpc-js",
  "node:child_process",
  "node:http",
  "node:http2",
  "node:https",
  "node:net",
  "node:tls",
  "node:worker_threads",
]);

/** Files that import only computing functions from these modules, such as `isIP` of node:net. */
const onlyCompute = new Set(["sdk/schemas/value-limits.ts", "sdk/spec/reachable-address.ts"]);

/** Returns the tests that do not import a module in `outside`, directly or through files of the repository. */
export function unitTests(imports: Imports = importsOf(sourceFiles())): string[] {
  return [...imports.keys()].filter((path) => path.endsWith(".test.ts") && !reachesOutside(path));

  function reachesOutside(test: string): boolean {
    const reached = new Set([test]);
    for (const path of reached) {
      if (outside.has(path)) return true;
      if (onlyCompute.has(path)) continue;
      for (const next of imports.get(path) ?? []) reached.add(next);
    }
    return false;
  }
}
