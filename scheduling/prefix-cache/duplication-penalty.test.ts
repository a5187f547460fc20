import { describe, expect, it } from "vitest";
import { endpoint } from "../cycles.fixture.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { duplicationPenalties } from "./duplication-penalty.ts";
import { Popularity } from "./popularity.ts";

const endpoints = ["a", "b", "c", "d"].map((pod) => endpoint(pod));
const terms = { requests: 40, most: 2 };
/** Keys of a prompt with eight blocks. */
const keys = Float64Array.from({ length: 8 }, (_, at) => at + 1);

/** Popularity after 10,000 prompts, a share of which has the first `blocks` blocks. */
function seen(share: number, blocks: number) {
  const popularity = new Popularity();
  for (let at = 0; at < 10_000; at += 1)
    popularity.add(
      keys.subarray(0, Math.floor((at + 1) * share) > Math.floor(at * share) ? blocks : 0),
    );
  return popularity;
}

function rentsOf(
  matched: readonly number[],
  { share = 0.1, blocks = 8, shortage = 0.01, among = endpoints as readonly Endpoint[] } = {},
) {
  const kept = { keys, endpoints: among, matched: Float64Array.from(matched) };
  return duplicationPenalties(kept, seen(share, blocks), terms, shortage);
}

describe("duplicationPenalties", () => {
  it("returns undefined if the caches have space or no endpoint has a block of the prompt", () => {
    expect(rentsOf([8, 8, 0, 0], { shortage: 0.0006 })).toBeUndefined();
    expect(rentsOf([0, 0, 0, 0])).toBeUndefined();
  });

  it("charges all endpoints except the one with the most blocks", () => {
    const [a, b, c, d] = rentsOf([3, 8, 0, 3]) as Float64Array;
    expect([a, c, d]).toEqual([a, a, a]);
    expect(a).toBeGreaterThan(0);
    expect(b).toBe(0);
  });

  it("charges all but one of several equal endpoints, the same one in each picker", () => {
    const keeperOf = (among: readonly Endpoint[]) => {
      const paid = [...(rentsOf([8, 8, 8, 8], { among }) as Float64Array)];
      expect(paid.filter((rent) => rent === 0)).toHaveLength(1);
      return among[paid.indexOf(0)];
    };
    expect(keeperOf([...endpoints].reverse())).toBe(keeperOf(endpoints));
  });

  it.each([
    { shortage: 0.01, matched: 8, blocks: 8 },
    { shortage: 0.005, matched: 8, blocks: 4 },
    { shortage: 0.01, matched: 4, blocks: 4 },
    // The penalty is at most twice the cost of computing the blocks.
    { shortage: 0.2, matched: 8, blocks: 16 },
  ])("divides the penalty among the requests that use a copy: %o", (row) => {
    const [rent] = rentsOf([0, row.matched, 0, 0], { shortage: row.shortage }) as Float64Array;
    const share = seen(0.1, 8).share(1);
    // Each of the four endpoints gets 40 requests, and two copies serve the requests with this prompt.
    const usesOfCopy = (share * 40 * 4) / 2;
    expect(rent).toBeCloseTo((row.blocks * (1 - 4 * share)) / usesOfCopy);
  });

  it("charges more for a rare prompt", () => {
    const [common] = rentsOf([0, 8, 0, 0], { share: 0.1 }) as Float64Array;
    const [rare] = rentsOf([0, 8, 0, 0], { share: 0.01 }) as Float64Array;
    expect(rare).toBeGreaterThan(5 * (common as number));
  });

  it("charges nothing for a prefix that more requests share than one endpoint gets", () => {
    expect([...(rentsOf([0, 8, 0, 0], { share: 0.5 }) as Float64Array)]).toEqual([0, 0, 0, 0]);
    // A conversation after such instructions pays only for its own blocks.
    const [behind] = rentsOf([0, 8, 0, 0], { share: 1, blocks: 4 }) as Float64Array;
    expect(behind).toBeCloseTo((2 * 8) / 2);
  });
});
