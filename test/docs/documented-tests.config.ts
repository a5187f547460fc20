import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { repositoryRoot } from "../../testing/repository.ts";

/** Tests that pages show, written below `dist` by `typescript.test.ts`. */
export default defineConfig({
  root: repositoryRoot,
  resolve: {
    conditions: ["source"],
    alias: { "pulumi-local-engine": join(repositoryRoot, "engine", "index.ts") },
  },
  ssr: { resolve: { conditions: ["source"] } },
  test: { include: ["dist/documented-tests/*.test.mts"] },
});
