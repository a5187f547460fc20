import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

/** The lane that needs the Pulumi CLI and its Kubernetes provider on PATH: `npm run test:cli`. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/real-cli/*.test.ts"],
    exclude: [],
    testTimeout: 300_000,
  },
});
