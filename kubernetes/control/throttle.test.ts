import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Throttle } from "./throttle.ts";

describe("Throttle", () => {
  it("runs once for all changes in one turn of the event loop", async () => {
    let done = 0;
    const throttle = new Throttle(() => {
      done += 1;
    });
    for (let change = 0; change < 3; change++) throttle.changed();
    expect(done).toBe(0);
    await nextTurn();
    expect(done).toBe(1);
  });

  it("pauses after work that takes long", async () => {
    const starts: number[] = [];
    const costMs = 5;
    await new Promise<void>((resolve) => {
      const throttle = new Throttle(() => {
        const start = performance.now();
        starts.push(start);
        while (performance.now() - start < costMs);
        if (starts.length === 2) resolve();
        else setImmediate(throttle.changed);
      });
      throttle.changed();
    });
    const [first = 0, second = 0] = starts;
    // A timer of Node.js may fire a millisecond early.
    expect(second - first).toBeGreaterThanOrEqual(10 * costMs - 1);
  });

  it("starts no work after it is stopped, and ignores changes", async () => {
    let done = 0;
    const throttle = new Throttle(() => {
      done += 1;
    });
    throttle.changed();
    throttle.stop();
    throttle.changed();
    await nextTurn();
    await nextTurn();
    expect(done).toBe(0);
  });
});
