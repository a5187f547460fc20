import { cpSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import typescript from "typescript";

/**
 * Writes the files that `engine/package.json` publishes: the files in `dist` that the engine's entry imports, directly
 * or indirectly, with their declarations. The package `pulumi-inference` contains the same files.
 */
const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const target = join(root, "engine", "dist");

rmSync(target, { recursive: true, force: true });
for (const file of reachedFrom("engine/index")) cpSync(join(dist, file), join(target, file));

/** Returns an entry of `dist` without its extension, and all files that its code and its declarations import. */
function reachedFrom(entry: string): Set<string> {
  const reached = new Set([`${entry}.js`, `${entry}.d.ts`]);
  for (const file of reached) {
    const { importedFiles } = typescript.preProcessFile(readFileSync(join(dist, file), "utf8"));
    for (const { fileName } of importedFiles) {
      if (!fileName.startsWith(".")) continue;
      const imported = join(dirname(file), fileName);
      reached.add(file.endsWith(".d.ts") ? imported.replace(/\.js$/, ".d.ts") : imported);
    }
  }
  return reached;
}
