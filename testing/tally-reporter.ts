import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Ends a run with one line that any reader of logs understands: `N passed, N failed, N skipped`. Before it, lists every
 * test that needed a second attempt, with the failure of the first: such a test, or the tested code, has a defect.
 */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tally = { passed: 0, failed: 0, skipped: 0 };
    const unsteady: string[] = [];
    for (const module of modules) {
      // A file that cannot be loaded has no tests but counts as a failure.
      if (module.errors().length > 0) tally.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        tally[state === "pending" ? "skipped" : state] += 1;
        if (test.diagnostic()?.flaky) unsteady.push(firstFailure(test));
      }
    }
    tally.failed += errors.length;
    const { passed, failed, skipped } = tally;
    // After the summary of the other reporters, which write when this event has gone round.
    setImmediate(() =>
      process.stdout.write(
        [...unsteady, `${passed} passed, ${failed} failed, ${skipped} skipped\n`].join("\n"),
      ),
    );
  }
}

function firstFailure(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  return `PASSED ON THE SECOND ATTEMPT ONLY: ${test.module.relativeModuleId} > ${test.fullName}\n${error?.stack ?? error?.message ?? "no error is known"}\n`;
}
