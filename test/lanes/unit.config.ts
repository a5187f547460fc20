import { defineConfig } from "vitest/config";
import { unitTests } from "../../scripts/walls/unit-tests.ts";
import everyRun from "../../vitest.config.ts";

/** Tests that start no program and reach no server: part of `npm run check`, and `npm run watch`. */
export default defineConfig({
  ...everyRun,
  test: { ...everyRun.test, root: everyRun.root, include: unitTests(), globalSetup: [] },
});
