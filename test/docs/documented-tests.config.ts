import { defineConfig } from "vitest/config";
import { repositoryRoot } from "../../testing/repository.ts";

/** Tests that pages show, written below `dist` by `typescript.test.ts`. */
export default defineConfig({
  root: repositoryRoot,
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: { include: ["dist/documented-tests/*.test.mts"] },
});
