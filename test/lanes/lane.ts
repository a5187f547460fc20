import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import everyRun from "../../vitest.config.ts";

/** Settings of tests that have the machine for themselves, and that must not fail once in many rounds. */
const alone: ViteUserConfig["test"] = { maxWorkers: 1, retry: 0, testTimeout: 600_000 };

/** Set-ups of lanes whose tests run the Pulumi CLI. They build it and its provider, unless both are installed. */
export const pulumiSetup: string[] = [
  ...[everyRun.test?.globalSetup ?? []].flat(),
  join(import.meta.dirname, "..", "..", "testing", "programs", "pulumi-setup.ts"),
];

/** Settings of tests that have the machine for themselves and run the Pulumi CLI. */
export const withPulumi: ViteUserConfig["test"] = { ...alone, globalSetup: pulumiSetup };

/** Tests that are not part of every run, with the same set-up except for `changes`. */
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
