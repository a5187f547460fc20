import { describe, expect, it } from "vitest";
import { objects, pod, pool } from "../datastore/objects.fixture.ts";
import { emptySnapshot, snapshotOf } from "../datastore/snapshot.ts";
import type { StructValue } from "../protocol/struct.ts";
import { candidates } from "./candidates.ts";

const { endpoints } = snapshotOf(
  objects({
    pool: pool({ targetPorts: [8000, 8001] }),
    pods: [pod("a", { ip: "10.0.0.1" }), pod("b", { ip: "10.0.0.2" }), pod("c", { ip: "fd00::3" })],
  }),
  emptySnapshot,
);
const all = endpoints.map(({ address }) => address);
const options = { subsetFilter: true, conformanceHeaders: true };

const found = (hint: StructValue | undefined, headers: Record<string, string> = {}, change = {}) =>
  candidates(
    endpoints,
    new Map(Object.entries(headers)),
    new Map(
      hint === undefined
        ? []
        : [["envoy.lb.subset_hint", { "x-gateway-destination-endpoint-subset": hint }]],
    ),
    { ...options, ...change },
  ).map(({ address }) => address);

describe("the proxy's subset hint", () => {
  it.each([
    ["absent", undefined, all],
    ["a list", ["10.0.0.2:8001"], ["10.0.0.2:8001"]],
    ["a string", "10.0.0.1:8000, 10.0.0.2:8001", ["10.0.0.1:8000", "10.0.0.2:8001"]],
    ["an address without port", ["10.0.0.1"], ["10.0.0.1:8000", "10.0.0.1:8001"]],
    ["IPv6 with brackets", ["[fd00::3]:8001"], ["[fd00::3]:8001"]],
    ["IPv6 without port", ["fd00::3"], ["[fd00::3]:8000", "[fd00::3]:8001"]],
    ["IPv6 with brackets and without port", ["[fd00::3]"], ["[fd00::3]:8000", "[fd00::3]:8001"]],
    ["a list that also has values of other types", [7, null, "10.0.0.1:8000"], ["10.0.0.1:8000"]],
  ])("selects its endpoints if it is %s", (_, hint, expected) => {
    expect(found(hint)).toEqual(expected);
  });

  it.each([[[]], [["10.9.9.9:8000"]], [["10.0.0.1:9000"]], [""], [null], [3]])(
    "excludes every endpoint if it is %j: 503",
    (hint) => {
      expect(() => found(hint)).toThrow("failed to find endpoint candidates");
      try {
        found(hint);
      } catch (error) {
        expect(error).toMatchObject({ status: 503, reason: "rejected-no-endpoints" });
      }
    },
  );

  it("is ignored with --disable-endpoint-subset-filter", () => {
    expect(found([], {}, { subsetFilter: false })).toEqual(all);
  });
});

describe("the conformance suite's selection", () => {
  const select = (value: string) => ({ "test-epp-endpoint-selection": value });
  it.each([
    ["10.0.0.2", ["10.0.0.2:8000"]],
    ["10.0.0.2:8001", ["10.0.0.2:8001"]],
    ["10.0.0.2:8001,10.0.0.1", ["10.0.0.2:8001", "10.0.0.1:8000"]],
    ["10.0.0.2:8001,10.0.0.2:8000", ["10.0.0.2:8001"]],
    ["", all],
  ])("selects the first endpoint of each IP in %j", (value, expected) => {
    expect(found(undefined, select(value))).toEqual(expected);
  });

  it("selects only within the subset", () => {
    expect(() => found(["10.0.0.1:8000"], select("10.0.0.2"))).toThrow("failed to find");
  });

  it("is ignored with --conformance-headers=false", () => {
    expect(found(undefined, select("10.0.0.2"), { conformanceHeaders: false })).toEqual(all);
  });
});
