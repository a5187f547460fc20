import { expect, it } from "vitest";
import { figuresOf } from "./figures.ts";
import type { Outcome } from "./traffic.ts";

const outcome = (at: number, failed: boolean): Outcome => ({
  request: { at, prompt: "hello", outputTokens: 10 },
  ...{ pod: 0, promptTokens: 2, cachedTokens: 0 },
  ...(failed
    ? { failed, firstAt: Number.NaN, endAt: Number.NaN, tokens: 0 }
    : { failed, firstAt: at + 50, endAt: at + 150, tokens: 10 }),
});

const figures = (lost: number) =>
  figuresOf(
    { name: "trace", pods: 1, measureFrom: 0, requests: [] },
    { outcomes: Array.from({ length: 100 }, (_, at) => outcome(at, at < lost)), waiting: [] },
  );

it("a lost request counts as slower than every answered one", () => {
  expect(figures(5)).toMatchObject({ failed: 5, mean: 50, p95: 50, goodput: 95 });
  expect(figures(6)).toMatchObject({ failed: 6, mean: 50, p50: 50, p95: Number.POSITIVE_INFINITY });
});
