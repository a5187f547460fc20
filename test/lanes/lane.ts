import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import everyRun from "../../vitest.config.ts";

/** Settings of tests that have the machine for themselves, and that must not fail once in many rounds. */
export const alone: ViteUserConfig["test"] = { maxWorkers: 1, retry: 0, testTimeout: 600_000 };

/** Tests that are not part of every run, set up as those are except for `changes`. */
export const lane = (include: string[], changes = alone): ViteUserConfig =>
  defineConfig({
    ...everyRun,
    test: {
      ...everyRun.test,
      root: join(import.meta.dirname, "..", ".."),
      include,
      exclude: ["**/node_modules/**"],
      ...changes,
    },
  });
