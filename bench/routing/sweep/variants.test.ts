import { describe, expect, it } from "vitest";
import { traceOf } from "../traces.ts";
import { bases, variantOf, variants } from "./variants.ts";

describe.each(bases)("variants of the trace %s", (base) => {
  const before = traceOf(base, 1);

  it.each(Object.keys(variants))(
    "the variant %j keeps the prompts in order of time and names only existing pods",
    (variant) => {
      const {
        name,
        pods,
        requests,
        measureFrom,
        changes = [],
        engineOf = {},
      } = variantOf(base, variant, 1);
      expect(name).toBe(`${base}, ${variant}`);
      expect(requests.map(({ prompt }) => prompt)).toEqual(
        before.requests.map(({ prompt }) => prompt),
      );
      const times = requests.map(({ at }) => at);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      const counted = requests.filter(({ at }) => at >= measureFrom).length;
      expect(counted).toBe(before.requests.filter(({ at }) => at >= before.measureFrom).length);
      for (const pod of [
        ...changes.map((change) => change.pod),
        ...Object.keys(engineOf).map(Number),
      ])
        expect(pod).toBeLessThan(pods);
      for (const { at } of changes) expect(at).toBeGreaterThan(measureFrom);
      for (const { at } of changes) expect(at).toBeLessThan(times.at(-1) as number);
    },
  );
});

it("an unknown variant is refused with a list of the known variants", () => {
  expect(() => variantOf("chats", "backwards", 1)).toThrow(
    /no variant backwards; there are: as it is, /,
  );
});
