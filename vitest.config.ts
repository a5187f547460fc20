import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { matrix } from "./test/lanes/matrix.ts";
import { heavyFirst } from "./testing/heavy-first.ts";

// Programs that tests start, and the packages that test processes load, are compiled once and not at each start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules", ".cache", "compiled");

/** Files of more than half a minute, the longest first. */
const heavy = ["demo/demo.test.ts", "test/traffic/flow-control.test.ts", "cli/check/check.test.ts"];

export default defineConfig({
  resolve: { conditions: ["source"] },
  ssr: { resolve: { conditions: ["source"] } },
  test: {
    include: [
      "{kubernetes,sdk,scheduling,components,recorder,program-tests,cli,runtime,policies,examples,scripts,testing,bench,demo,test}/**/*.test.ts",
    ],
    exclude: [
      ...["**/node_modules/**", "**/dist/**", "test/real-cli/**", "test/engines/**"],
      ...["test/gateways/**", "test/clouds/**", "test/languages/**"],
      ...matrix,
    ],
    globalSetup: [join(import.meta.dirname, "testing", "global-setup.ts")],
    setupFiles: [join(import.meta.dirname, "testing", "property-cases.ts")],
    reporters: ["default", join(import.meta.dirname, "testing", "tally-reporter.ts")],
    // Consecutive files in a worker share its modules: loading them again took a quarter of a run.
    isolate: false,
    sequence: { sequencer: heavyFirst(heavy) },
    // Tests wait for servers as long as they compute; the default on two cores would be one.
    maxWorkers: 3,
    // Cases of orchestration, which share a cluster and wait for its controllers.
    maxConcurrency: 24,
    // Tests poll for lasting states, which a busy machine may reach late.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Machines of CI stall for seconds at times. The tally names every test that needed its second attempt. A failed
    // property is not retried: the second attempt would draw other cases.
    retry: process.env.CI === "true" ? { count: 1, condition: /^(?!Property failed)/ } : 0,
  },
});
