import { expect, test } from "vitest";
import { deleteInOrder } from "./deletion.ts";
import type { ResourceState } from "./state/resource-state.ts";

const resource = (name: string, dependencies: string[] = []): ResourceState => ({
  urn: name,
  custom: true,
  type: "a:b:C",
  dependencies,
});

/** Deletes resources and returns the order in which deletions start and end. */
async function deletions(
  doomed: ResourceState[],
  options: { parallel?: number; stuck?: string } = {},
) {
  const log: string[] = [];
  let most = 0;
  let running = 0;
  await deleteInOrder({
    doomed,
    parallel: options.parallel ?? 16,
    async deleteResource({ urn }) {
      running++;
      most = Math.max(most, running);
      log.push(`begin ${urn}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`end ${urn}`);
      running--;
      return urn !== options.stuck;
    },
  });
  return { log, most };
}

test("dependents are deleted first, and independent resources concurrently", async () => {
  const { log, most } = await deletions([
    resource("a"),
    resource("b", ["a"]),
    resource("c", ["a"]),
  ]);
  expect(most).toBe(2);
  expect(log.indexOf("begin a")).toBeGreaterThan(log.indexOf("end b"));
  expect(log.indexOf("begin a")).toBeGreaterThan(log.indexOf("end c"));
});

test("no more resources than allowed are deleted concurrently", async () => {
  const many = Array.from({ length: 10 }, (_, i) => resource(`r${i}`));
  expect((await deletions(many, { parallel: 3 })).most).toBe(3);
});

test("the dependencies of a kept resource are kept", async () => {
  const { log } = await deletions([resource("a"), resource("b", ["a"]), resource("c")], {
    stuck: "b",
  });
  expect(log).not.toContain("begin a");
  expect(log).toContain("end c");
});
