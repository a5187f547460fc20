import { expect, it } from "vitest";
import { RequestsInPrefill } from "./requests-in-prefill.ts";

const page = (
  at: number,
  runningRequests: number,
  endedRequests: number | undefined,
  firstTokens: number,
) => ({ at, runningRequests, endedRequests, firstTokens });

it("requests that run without an answer are those that neither began nor ended", () => {
  const unanswered = new RequestsInPrefill();
  expect(unanswered.read(page(0, 0, 100, 100))).toBe(0);
  expect(unanswered.read(page(50, 3, 100, 101))).toBe(2);
  expect(unanswered.read(page(100, 2, 101, 103))).toBe(0);
});

it("requests that run without an answer are known although some broke off, after a while", () => {
  const unanswered = new RequestsInPrefill();
  unanswered.read(page(0, 0, 0, 0));
  // Two answers that began broke off, so that they never end.
  expect(unanswered.read(page(50, 0, 0, 2))).toBe(0);
  expect(unanswered.read(page(100, 1, 0, 2))).toBe(1);
});

it("requests that run without an answer are known although the picker came when some ran", () => {
  const unanswered = new RequestsInPrefill();
  unanswered.read(page(0, 5, 10, 12));
  unanswered.read(page(10_001, 0, 15, 15));
  expect(unanswered.read(page(10_050, 2, 15, 15))).toBe(2);
});

it("requests that run without an answer are unknown where a server does not count", () => {
  expect(new RequestsInPrefill().read(page(0, 1, undefined, 0))).toBeUndefined();
});
