import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: ["{sdk,components,engine,cli,runtime,policies,test}/**/*.test.ts"],
    testTimeout: 60_000,
  },
});
