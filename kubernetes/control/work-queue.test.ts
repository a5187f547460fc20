import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

/** Returns a queue whose work ends when the test ends it. */
function queue(options: Partial<WorkQueueOptions> = {}) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const errors: string[] = [];
  const made = new WorkQueue({
    work: (key) => {
      begun.push(key);
      const end = Promise.withResolvers<void>();
      ends.set(key, end);
      return end.promise;
    },
    onError: (key, error) => errors.push(`${key}: ${(error as Error).message}`),
    backOff: { firstMs: 5, longestMs: 10 },
    ...options,
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    queue: made,
    begun,
    errors,
    end: async (key: string) => {
      ends.get(key)?.resolve();
      await turn();
    },
    fail: async (key: string) => {
      ends.get(key)?.reject(new Error("no"));
      await turn();
    },
  };
}

it("a work queue processes nothing before its start, then each key once", () => {
  const { queue: q, begun } = queue();
  for (const key of ["a", "b", "a"]) q.add(key);
  expect({ begun, length: q.length }).toEqual({ begun: [], length: 2 });
  q.start();
  expect({ begun, length: q.length }).toEqual({ begun: ["a", "b"], length: 0 });
});

it("a work queue processes a key again, but not concurrently, if it was added during its work", async () => {
  const { queue: q, begun, end } = queue();
  q.start();
  q.add("a");
  q.add("a");
  q.add("a");
  expect(begun).toEqual(["a"]);
  await end("a");
  expect(begun).toEqual(["a", "a"]);
  await end("a");
  expect(begun).toEqual(["a", "a"]);
});

it("a work queue processes at most `concurrency` keys at the same time", async () => {
  const { queue: q, begun, end } = queue({ concurrency: 2 });
  q.start();
  for (const key of ["a", "b", "c"]) q.add(key);
  expect(begun).toEqual(["a", "b"]);
  await end("b");
  expect(begun).toEqual(["a", "b", "c"]);
});

it("a work queue retries a failed key, and continues with the others", async () => {
  const { queue: q, begun, errors, fail, end } = queue();
  q.start();
  q.add("a");
  q.add("b");
  await fail("a");
  expect(errors).toEqual(["a: no"]);
  await vi.waitFor(() => expect(begun).toEqual(["a", "b", "a"]));
  await end("a");
  await sleep(30);
  expect(begun).toHaveLength(3);
});

it("a work queue resets the wait for retries after a success", async () => {
  const {
    queue: q,
    begun,
    fail,
    end,
  } = queue({
    backOff: { firstMs: 5, longestMs: 3_600_000 },
    random: () => 1,
  });
  const soon = { interval: 1, timeout: 10_000 };
  q.start();
  q.add("a");
  for (let round = 1; round <= 20; round += 1) {
    await vi.waitFor(() => expect(begun).toHaveLength(2 * round - 1), soon);
    await fail("a");
    await vi.waitFor(() => expect(begun).toHaveLength(2 * round), soon);
    await end("a");
    q.add("a");
  }
});

it("a work queue adds a key after a delay, or immediately if it is added again without one", async () => {
  const { queue: q, begun, end } = queue();
  q.start();
  q.add("a", 20);
  q.add("a", 3_600_000);
  q.add("b", 3_600_000);
  q.add("b");
  expect(begun).toEqual(["b"]);
  await end("b");
  await vi.waitFor(() => expect(begun).toEqual(["b", "a"]));
});

it("a work queue resolves all pauses when the running work has ended, and continues after a start", async () => {
  const { queue: q, begun, end } = queue();
  q.start();
  q.add("a");
  let paused = 0;
  const waiting = [q.pause(), q.stop()].map((each) =>
    each.then(() => {
      paused += 1;
    }),
  );
  q.add("b");
  expect(paused).toBe(0);
  await end("a");
  await Promise.all(waiting);
  expect(begun).toEqual(["a"]);
  q.add("c");
  q.start();
  expect(begun).toEqual(["a", "c"]);
});
