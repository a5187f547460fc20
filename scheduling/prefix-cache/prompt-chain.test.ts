import fc from "fast-check";
import { expect, it } from "vitest";
import { BlockHasher } from "./block-hash.ts";
import { promptChain, sliceBytes, slicedChain } from "./prompt-chain.ts";

/** Runs a generator, and returns its values and its result. */
function ran<Each, Result>(steps: Generator<Each, Result>): { slices: Each[]; result: Result } {
  const slices: Each[] = [];
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { slices, result: step.value };
    slices.push(step.value);
  }
}

const blocks = (prompt: string, maxBytes: number, blockTokens: number) => ({
  ...{ prompt, maxBytes, blockTokens, hasher: new BlockHasher("m", "salt", "owner") },
});

const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", "€", "😀", "\ud83d", "\ude00", "\u0000"),
  maxLength: 200,
});

it("slices of any size hash a prompt to the chain of the whole prompt", () => {
  const limit = fc.oneof(fc.nat(100), fc.constant(10_000));
  fc.assert(
    fc.property(
      ...[text, limit, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 4, max: 99 })],
      (prompt, maxBytes, blockTokens, ofSlice) => {
        const whole = promptChain(blocks(prompt, maxBytes, blockTokens));
        const sliced = slicedChain(blocks(prompt, maxBytes, blockTokens), ofSlice);
        // Another prompt is hashed between two slices.
        const steps = (function* () {
          for (;;) {
            const step = sliced.next();
            promptChain(blocks("another prompt ".repeat(20), 10_000, blockTokens));
            if (step.done === true) return step.value;
            yield step.value;
          }
        })();
        const { slices, result } = ran(steps);
        expect([...result]).toEqual([...whole]);
        expect(Math.max(0, ...slices)).toBeLessThanOrEqual(ofSlice);
      },
    ),
  );
});

it("a prompt of 4 MB is hashed in slices of at most 512 KiB", () => {
  const prompt = "the quick 😀 brown fox ".repeat(170_000);
  const { slices, result } = ran(slicedChain(blocks(prompt, 2 ** 22, 64)));
  expect(Math.max(...slices)).toBeLessThanOrEqual(sliceBytes);
  expect(slices.reduce((a, b) => a + b)).toBe(Math.min(2 ** 22, Buffer.byteLength(prompt)));
  expect(result).toEqual(promptChain(blocks(prompt, 2 ** 22, 64)));
});
