import { describe, expect, test } from "vitest";
import { useCrashStack } from "./fixtures/crash-stack.ts";

const { stackAt, upKilledAt, objects, expectFinished } = useCrashStack();

describe.each(["before", "after"] as const)("an up killed %s a write", (when) => {
  test("the next up finishes an up that dies at any write of a creation", async () => {
    for (let at = 1; ; at++) {
      const killed = await upKilledAt(1, at, when);
      await expectFinished(1);
      if (!killed) break;
      expect((await stackAt(1).destroy()).diagnostics).toEqual([]);
      expect(await objects()).toEqual([]);
    }
  }, 240_000);

  test("the next up finishes an up that dies at any write of a change", async () => {
    for (let at = 1; ; at++) {
      expect((await stackAt(1).up()).diagnostics).toEqual([]);
      const killed = await upKilledAt(2, at, when);
      await expectFinished(2);
      if (!killed) break;
      expect((await stackAt(2).destroy()).diagnostics).toEqual([]);
    }
  }, 240_000);
});
