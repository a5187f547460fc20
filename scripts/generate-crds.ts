import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crdFiles } from "./crd-files.ts";

/**
 * Writes the CustomResourceDefinitions that are made from zod schemas. `node scripts/generate-crds.ts` writes
 * them; `--check` writes nothing and fails where a file differs.
 */

const root = join(import.meta.dirname, "..");
const check = process.argv.includes("--check");

const stale = [...crdFiles(root)].filter(([path, content]) => {
  const file = join(root, path);
  return (existsSync(file) ? readFileSync(file, "utf8") : undefined) !== content;
});
for (const [path, content] of stale) {
  const file = join(root, path);
  if (!check && content === undefined) rmSync(file);
  if (!check && content !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  console.error(check ? `${path} is not up to date` : `wrote ${path}`);
}
if (check && stale.length > 0) {
  console.error("Run `node scripts/generate-crds.ts` and commit what it writes.");
  process.exitCode = 1;
}
