import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seeded } from "../../../testing/samples/seeded.ts";
import {
  type Choice,
  clusterPreferences,
  clusterSelections,
  inOrderOfChoice,
  type SelectionPolicy,
} from "./choose-cluster.ts";

const nowhere = { region: undefined, zone: undefined };
const cluster = (name: string, load?: [ready: number, queue: number], isLocal = false): Choice => ({
  name,
  isLocal,
  isEmpty: load?.[0] === 0,
  location: nowhere,
  load: load && { readyEndpoints: load[0], averageQueueSize: load[1] },
});
const policy = (change: Partial<SelectionPolicy> = {}): SelectionPolicy => ({
  selection: "health-based",
  preference: "Any",
  spilloverQueueThreshold: 100,
  order: [],
  weights: new Map(),
  location: nowhere,
  ...change,
});
/** Returns the numbers in turn. */
const sequence = (...numbers: readonly number[]) => {
  let at = 0;
  return () => numbers[at++ % numbers.length] as number;
};
const names = (clusters: readonly Choice[]) => clusters.map(({ name }) => name).join("");

describe("active-passive", () => {
  const active = policy({ selection: "active-passive" });
  it.each([
    ["by name", ["c", "a", "b"], {}, "abc"],
    ["by the order, then by name", ["d", "a", "b", "c"], { order: ["c", "b"] }, "cbad"],
    ["ignoring names of unknown clusters", ["a", "b"], { order: ["x", "b"] }, "ba"],
    ["if there is only one", ["a"], { order: ["b"] }, "a"],
    ["if there are none", [], {}, ""],
  ] as const)("orders clusters %s", (_, clusters, change, expected) => {
    const given = clusters.map((name) => cluster(name));
    expect(names(inOrderOfChoice(given, { ...active, ...change }, Math.random))).toBe(expected);
  });
});

describe("PreferLocal", () => {
  const local = (ready?: number) => [
    cluster("a", [9, 0]),
    cluster("b", ready === undefined ? undefined : [ready, 50], true),
    cluster("c", [9, 0]),
  ];
  const first = (clusters: readonly Choice[], change: Partial<SelectionPolicy>) =>
    inOrderOfChoice(clusters, policy({ preference: "PreferLocal", ...change }), Math.random)[0]
      ?.name;

  it.each(clusterSelections)("this cluster is first, with selection %s", (selection) => {
    expect(first(local(1), { selection, order: ["c"] })).toBe("b");
    expect(first(local(), { selection, order: ["c"] })).toBe("b");
  });

  it.each(clusterSelections)(
    "another cluster is first if this one has no endpoints, with selection %s",
    (selection) => {
      expect(first(local(0), { selection, order: ["c"] })).not.toBe("b");
    },
  );

  it.each(clusterSelections)(
    "another cluster is first if the local queue reaches the spillover threshold, with selection %s",
    (selection) => {
      const change = { selection, order: ["c"] };
      expect(first(local(1), { ...change, spilloverQueueThreshold: 51 })).toBe("b");
      const spilled = Array.from({ length: 50 }, () =>
        first(local(1), { ...change, spilloverQueueThreshold: 50 }),
      );
      expect(spilled).toContain(selection === "active-passive" ? "c" : "a");
    },
  );

  it("this cluster is not preferred with Any", () => {
    expect(first(local(1), { selection: "active-passive", preference: "Any", order: ["c"] })).toBe(
      "c",
    );
  });
});

describe("PreferNearest", () => {
  const at = (name: string, region: string, zone: string, queue = 0): Choice => ({
    ...cluster(name, [1, queue]),
    location: { region, zone },
  });
  const nearest = (clusters: readonly Choice[], change: Partial<SelectionPolicy> = {}) =>
    names(
      inOrderOfChoice(
        clusters,
        policy({
          ...{
            preference: "PreferNearest",
            selection: "active-passive",
            spilloverQueueThreshold: 5,
          },
          location: { region: "eu", zone: "1" },
          ...change,
        }),
        Math.random,
      ),
    );
  const far = [
    at("a", "us", "1"),
    at("b", "eu", "2"),
    cluster("c"),
    at("d", "eu", "1"),
    { ...at("e", "us", "9"), isLocal: true },
  ];

  it("this cluster is first, then its zone, its region and all others", () => {
    expect(nearest(far)).toBe("edbac");
  });

  it("a zone counts only within its region, and not if the region is unknown", () => {
    expect(nearest(far, { location: { region: "us", zone: "2" } })).toBe("eabcd");
    expect(nearest(far, { location: nowhere })).toBe("eabcd");
  });

  it("a near cluster is not preferred if its queue reaches the threshold", () => {
    expect(nearest([at("a", "us", "1"), at("b", "eu", "1", 5), at("c", "eu", "2", 4)])).toBe("cab");
  });
});

describe("weights", () => {
  const weights = new Map([
    ["a", 3],
    ["z", 0],
  ]);
  const clusters = [cluster("a", [2, 0]), cluster("b", [4, 0]), cluster("z", [100, 0])];

  it("multiply the shares, within four sigma", () => {
    expectShares(clusters, policy({ weights }), { a: 3 / 4, b: 1 / 4, z: 0 });
    expectShares(clusters, policy({ weights, selection: "metric-based" }), {
      a: 0.6,
      b: 0.4,
      z: 0,
    });
  });

  it("put clusters of weight 0 last", () => {
    expect(names(inOrderOfChoice(clusters, policy({ weights }), Math.random)).at(-1)).toBe("z");
    const [, , last] = clusters;
    expect(names(inOrderOfChoice([last as Choice], policy({ weights }), Math.random))).toBe("z");
  });
});

describe("PreferOthers", () => {
  const others = (...clusters: readonly Choice[]) =>
    names(
      inOrderOfChoice(
        clusters,
        policy({ preference: "PreferOthers", selection: "active-passive" }),
        Math.random,
      ),
    );

  it("this cluster is after all other clusters that have endpoints", () => {
    expect(others(cluster("a", [9, 0], true), cluster("b", [1, 9]), cluster("c"))).toBe("bca");
    expect(others(cluster("a", [9, 0], true), cluster("b", [0, 0]))).toBe("ab");
  });
});

describe("metric-based", () => {
  const metric = policy({ selection: "metric-based" });

  it.each([
    ["prefers more endpoints at the same draw", [cluster("a", [1, 0]), cluster("b", [3, 0])], "ba"],
    ["prefers shorter queues at the same draw", [cluster("a", [3, 9]), cluster("b", [3, 0])], "ba"],
    ["puts clusters without endpoints last", [cluster("a", [0, 0]), cluster("b", [1, 1000])], "ba"],
    [
      "orders by name if no cluster has endpoints",
      [cluster("b", [0, 0]), cluster("a", [0, 0])],
      "ab",
    ],
    [
      "counts an unknown load as the mean",
      [cluster("a", [1, 0]), cluster("b"), cluster("c", [9, 0])],
      "cba",
    ],
  ])("%s", (_, clusters, expected) => {
    expect(names(inOrderOfChoice(clusters, metric, () => 0.5))).toBe(expected);
  });

  it("ranks a cluster with a bad draw below a cluster with a good draw", () => {
    const clusters = [cluster("a", [3, 0]), cluster("b", [1, 0])];
    expect(names(inOrderOfChoice(clusters, metric, sequence(0.99, 0.01)))).toBe("ba");
  });

  it("shares requests by ready endpoints divided by one plus the queue, within four sigma", () => {
    const clusters = [cluster("a", [4, 1]), cluster("b", [3, 0]), cluster("c", [15, 2])];
    const shares = { a: 2 / 10, b: 3 / 10, c: 5 / 10 };
    expectShares(clusters, metric, shares);
  });
});

it("health-based gives each cluster the same share, within four sigma", () => {
  const clusters = [cluster("a", [100, 0]), cluster("b"), cluster("c", [1, 9])];
  expectShares(clusters, policy(), { a: 1 / 3, b: 1 / 3, c: 1 / 3 });
});

function expectShares(
  clusters: readonly Choice[],
  given: SelectionPolicy,
  shares: Record<string, number>,
): void {
  const draws = 20_000;
  const random = seeded(7);
  const counts = new Map<string, number>();
  for (let draw = 0; draw < draws; draw += 1) {
    const name = inOrderOfChoice(clusters, given, random)[0]?.name ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const [name, share] of Object.entries(shares)) {
    const sigma = Math.sqrt(draws * share * (1 - share));
    expect(Math.abs((counts.get(name) ?? 0) - draws * share)).toBeLessThanOrEqual(4 * sigma);
  }
}

describe("the order of any clusters", () => {
  const load = fc.option(
    fc.record({
      readyEndpoints: fc.nat(1_000),
      averageQueueSize: fc.double({ min: 0, max: 1e6, noNaN: true }),
    }),
    { nil: undefined },
  );
  const word = fc.constantFrom("a", "b", undefined);
  const anyLocation = fc.record({ region: word, zone: word });
  const clusters = fc.uniqueArray(
    fc.record({
      ...{ name: fc.string({ minLength: 1, maxLength: 3 }), isLocal: fc.boolean() },
      ...{ isEmpty: fc.boolean(), load },
      location: anyLocation,
    }),
    { selector: ({ name }) => name, maxLength: 8 },
  );
  const anyPolicy = fc.record({
    selection: fc.constantFrom(...clusterSelections),
    preference: fc.constantFrom(...clusterPreferences),
    spilloverQueueThreshold: fc.integer({ min: 1, max: 20 }),
    order: fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 }),
    weights: fc.constantFrom(new Map(), new Map([["a", 0]])),
    location: anyLocation,
  });

  it("contains each cluster once", () => {
    fc.assert(
      fc.property(clusters, anyPolicy, fc.integer(), (given, policy, seed) => {
        const ordered = inOrderOfChoice(given, policy, seeded(seed));
        expect([...ordered].sort(byName)).toEqual([...given].sort(byName));
      }),
    );
  });

  it("depends only on the random numbers, and for active-passive not on the given order", () => {
    fc.assert(
      fc.property(clusters, anyPolicy, fc.integer(), (given, policy, seed) => {
        const once = inOrderOfChoice(given, policy, seeded(seed));
        expect(inOrderOfChoice(given, policy, seeded(seed))).toEqual(once);
        if (policy.selection === "active-passive")
          expect(inOrderOfChoice(given.toReversed(), policy, seeded(seed))).toEqual(once);
      }),
    );
  });
});

const byName = (a: Choice, b: Choice) => (a.name < b.name ? -1 : 1);
