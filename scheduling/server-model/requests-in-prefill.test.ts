import { expect, it } from "vitest";
import { RequestsInPrefill } from "./requests-in-prefill.ts";

const page = (
  at: number,
  runningRequests: number,
  endedRequests: number | undefined,
  firstTokens: number,
) => ({ at, runningRequests, endedRequests, firstTokens });

it("RequestsInPrefill counts running requests without a first token", () => {
  const unanswered = new RequestsInPrefill();
  expect(unanswered.read(page(0, 0, 100, 100))).toBe(0);
  expect(unanswered.read(page(50, 3, 100, 101))).toBe(2);
  expect(unanswered.read(page(100, 2, 101, 103))).toBe(0);
});

it("RequestsInPrefill is correct after responses broke off", () => {
  const unanswered = new RequestsInPrefill();
  unanswered.read(page(0, 0, 0, 0));
  // Two responses break off after their first token, so they never count as ended.
  expect(unanswered.read(page(50, 0, 0, 2))).toBe(0);
  expect(unanswered.read(page(100, 1, 0, 2))).toBe(1);
});

it("RequestsInPrefill is correct after one window if requests ran when the picker started", () => {
  const unanswered = new RequestsInPrefill();
  unanswered.read(page(0, 5, 10, 12));
  unanswered.read(page(10_001, 0, 15, 15));
  expect(unanswered.read(page(10_050, 2, 15, 15))).toBe(2);
});

it("RequestsInPrefill is undefined if the server does not count responses", () => {
  expect(new RequestsInPrefill().read(page(0, 1, undefined, 0))).toBeUndefined();
});
