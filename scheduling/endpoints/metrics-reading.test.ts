import { expect, it } from "vitest";
import { endpoint, metrics } from "../cycles.fixture.ts";
import type { LiveState } from "./endpoint.ts";
import { readingOf } from "./metrics-reading.ts";

/**
 * Returns `others` after each reading. `own` and `seen` are counted by the picker, `there` and `told` by the server.
 */
function others(
  ...all: ReadonlyArray<{ own: number; seen: number; there: number; told: number | undefined }>
): number[] {
  const { live } = endpoint("a");
  return all.map(({ own, seen, there, told }) => {
    Object.assign(live, { runningRequests: own, firstTokens: seen } satisfies Partial<LiveState>);
    const page = metrics({ runningRequests: there, firstTokens: told });
    live.reading = readingOf(live, page, {
      prefillingRequests: 0,
      sentRequests: 0,
      runningRequests: own,
    });
    return live.reading.external;
  });
}

it("requests count as external if two consecutive readings show more than the picker sent", () => {
  expect(
    others(
      { own: 2, seen: 0, there: 2, told: 0 },
      { own: 2, seen: 1, there: 5, told: 1 },
      { own: 2, seen: 2, there: 4, told: 2 },
    ),
  ).toEqual([0, 0, 2]);
});

it("outdated metrics do not turn ended requests into external ones", () => {
  const frozen = { there: 8, told: 5 };
  expect(
    others(
      { own: 8, seen: 5, ...frozen },
      { own: 6, seen: 7, ...frozen },
      { own: 3, seen: 9, ...frozen },
      { own: 3, seen: 9, ...frozen },
      { own: 3, seen: 9, there: 8, told: 20 },
      { own: 3, seen: 9, there: 8, told: 21 },
    ),
  ).toEqual([0, 0, 0, 0, 0, 5]);
});

it("excess requests count as external if the server does not report begun responses", () => {
  const page = { there: 8, told: undefined };
  expect(
    others(
      { own: 8, seen: 5, ...page },
      { own: 6, seen: 7, ...page },
      { own: 6, seen: 7, ...page },
    ),
  ).toEqual([0, 0, 2]);
});
