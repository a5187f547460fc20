import { expect, it } from "vitest";
import { counts } from "./counts.fixture.ts";
import { PageHistory } from "./page-history.ts";

const page = (process: string, responses: number, errors = 0, uid = "pod") => ({
  process,
  endpoints: [{ ...counts(responses, errors), uid, set: "a", revision: "1" }],
});

/** Responses that a history adds for each page; undefined for a page that it does not accept. */
function added(...pages: ReadonlyArray<ReturnType<typeof page>>): Array<number | undefined> {
  const history = new PageHistory();
  return pages.map((each) =>
    history
      .accept("epp-0", each, new Set(["pod", "other"]))
      ?.reduce((sum, rise) => sum + rise.counts.responses, 0),
  );
}

it("adds the responses since the page before", () => {
  expect(added(page("p", 100), page("p", 110), page("p", 110))).toEqual([100, 10, 0]);
});

it("adds all responses of a process that was not seen before", () => {
  expect(added(page("p", 100), page("q", 8), page("q", 9))).toEqual([100, 8, 1]);
});

it("refuses pages that are older than an earlier page, and counts nothing twice", () => {
  expect(added(page("p", 100), page("p", 50), page("p", 102))).toEqual([100, undefined, 2]);
  expect(added(page("p", 100, 3), page("p", 100, 2))).toEqual([100, undefined]);
  expect(added(page("p", 100), page("q", 5), page("p", 100), page("q", 6))).toEqual([
    ...[100, 5, undefined, 1],
  ]);
});

it("counts a pod once that a page does not list for a while", () => {
  const without = { process: "p", endpoints: [] };
  expect(added(page("p", 100), without as never, page("p", 101))).toEqual([100, 0, 1]);
});

it("leaves out pods of others until they are pods of the replicas", () => {
  const history = new PageHistory();
  expect(history.accept("epp-0", page("p", 100), new Set())).toEqual([]);
  expect(history.accept("epp-0", page("p", 110), new Set(["pod"]))?.[0]?.counts.responses).toBe(
    110,
  );
});
