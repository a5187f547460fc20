import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["{sdk,components,engine,cli,runtime,policies,examples,scripts,test}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "test/real-cli/**", "test/engines/**"],
    globalSetup: ["./test/harness/global-setup.ts"],
    reporters: ["default", "./test/harness/tally-reporter.ts"],
    // Tests wait for servers more than they compute; the default on two cores would be one.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
