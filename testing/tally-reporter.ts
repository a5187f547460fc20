import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one line that any reader of logs understands: `N passed, N failed, N skipped`. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tally = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      // A file that cannot be loaded has no tests and is a failure all the same.
      if (module.errors().length > 0) tally.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        tally[state === "pending" ? "skipped" : state] += 1;
      }
    }
    tally.failed += errors.length;
    const { passed, failed, skipped } = tally;
    // After the summary of the other reporters, which write when this event has gone round.
    setImmediate(() =>
      process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`),
    );
  }
}
