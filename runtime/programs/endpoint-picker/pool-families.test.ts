import { describe, expect, it } from "vitest";
import { objects, pool } from "../../endpoint-picker/datastore/objects.fixture.ts";
import type { SharedPool } from "../../endpoint-picker/sources/shared-pools-source.ts";
import { expose } from "../../manager/metrics/exposition.ts";
import { counters, gauges } from "../../manager/metrics/family.ts";
import { desiredPools } from "./desired-pools.ts";
import { poolFamilies } from "./pool-families.ts";

function shared(name: string, port: number, creationTimestamp = "2026-01-01T00:00:00Z") {
  const made = pool({ name, creationTimestamp });
  const more = { config: undefined, tenantHeader: undefined, objects: objects({ pool: made }) };
  return { pool: made, port, ...more } satisfies SharedPool;
}

describe("a port belongs to", () => {
  const ofPort = (...pools: SharedPool[]) => {
    const { served, refused } = desiredPools(pools, new Set([9003]));
    return {
      served: [...served].map(([port, { pool }]) => [port, pool.name]),
      refused: Object.fromEntries(refused),
    };
  };

  it("the pool that names it", () => {
    expect(ofPort(shared("a", 10_000), shared("b", 10_001))).toEqual({
      served: [
        [10_000, "a"],
        [10_001, "b"],
      ],
      refused: {},
    });
  });

  it("the oldest of several pools", () => {
    const older = shared("b", 10_000, "2025-01-01T00:00:00Z");
    expect(ofPort(shared("a", 10_000), older)).toEqual({
      served: [[10_000, "b"]],
      refused: { a: "port 10000 belongs to pool b; name another" },
    });
    expect(ofPort(shared("c", 10_000), shared("a", 10_000)).served).toEqual([[10_000, "a"]]);
  });

  it("the process before all pools", () => {
    expect(ofPort(shared("a", 9003))).toEqual({
      served: [],
      refused: { a: "port 9003 is one of the picker's own; name another" },
    });
  });
});

it("families of one name are one family, whose series have the name of their pool", () => {
  const requests = () => counters({ name: "requests", help: "R.", labels: ["model"] });
  const told = () => gauges({ name: "queue", help: "Q.", labels: ["inference_pool"] });
  const [a, b, queue] = [requests(), requests(), told()];
  a.series("m").value = 1;
  b.series("m").value = 2;
  queue.series("a").value = 3;
  const families = poolFamilies(
    new Map([
      ["a", [a, queue]],
      ["b", [b]],
    ]),
  );
  expect(families.map((family) => [...expose(family)].join("")).join("")).toBe(
    [
      "# HELP requests R.",
      "# TYPE requests counter",
      'requests{model="m",inference_pool="a"} 1',
      'requests{model="m",inference_pool="b"} 2',
      "# HELP queue Q.",
      "# TYPE queue gauge",
      'queue{inference_pool="a"} 3',
      "",
    ].join("\n"),
  );
});
