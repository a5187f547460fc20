import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import everyRun from "../../vitest.config.ts";

/** Tests that are not part of every run, set up as those are. */
export function lane(include: string[]): ViteUserConfig {
  return defineConfig({
    ...everyRun,
    test: {
      ...everyRun.test,
      root: join(import.meta.dirname, "..", ".."),
      include,
      exclude: ["**/node_modules/**"],
      // What is measured has the machine for itself.
      maxWorkers: 1,
      // What fails once in many rounds is what these look for.
      retry: 0,
      testTimeout: 600_000,
    },
  });
}
