import { join } from "node:path";
import { defineConfig } from "vitest/config";
import everyRun from "../../vitest.config.ts";
import { matrix } from "./matrix.ts";

/** One property over many cases: `npm run test:matrix`. */
export default defineConfig({
  ...everyRun,
  test: {
    ...everyRun.test,
    root: join(import.meta.dirname, "..", ".."),
    include: matrix,
    exclude: ["**/node_modules/**"],
  },
});
