import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { crdFiles } from "../../scripts/crd-files.ts";

const root = join(import.meta.dirname, "../..");

it.each([...crdFiles(root)])("%s equals the generated CRD", (path, content) => {
  const file = join(root, path);
  expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(content);
});
