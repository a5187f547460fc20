import { describe, expect, it } from "vitest";
import { type PortClaim, portRefusal, sharedPorts } from "./picker-ports.ts";

const claim = (
  name: string,
  port: number,
  creationTimestamp = "2026-01-01T00:00:00Z",
): PortClaim => ({ pool: { namespace: "ns", name, creationTimestamp }, port });

describe("owner of a port of a shared picker", () => {
  const ofPort = (...pools: PortClaim[]) => {
    const { served, refused } = sharedPorts(pools);
    return {
      served: [...served].map(([port, { pool }]) => [port, pool.name]),
      refused: Object.fromEntries(refused),
    };
  };

  it("is the pool that names the port", () => {
    expect(ofPort(claim("a", 10_000), claim("b", 10_001))).toEqual({
      served: [
        [10_000, "a"],
        [10_001, "b"],
      ],
      refused: {},
    });
  });

  it("is the oldest of several pools", () => {
    const older = claim("b", 10_000, "2025-01-01T00:00:00Z");
    expect(ofPort(claim("a", 10_000), older)).toEqual({
      served: [[10_000, "b"]],
      refused: { a: "port 10000 belongs to pool b; use another port" },
    });
    expect(ofPort(claim("c", 10_000), claim("a", 10_000)).served).toEqual([[10_000, "a"]]);
  });

  it("is the picker itself for its own ports", () => {
    expect(ofPort(claim("a", 9003))).toEqual({
      served: [],
      refused: { a: "port 9003 is reserved for the picker; use another port" },
    });
  });
});

it("a pool is refused only because of another pool with the same picker and port", () => {
  const pool = (name: string, picker: string, pickerPort: number) => ({
    ...{ namespace: "ns", name, creationTimestamp: "2026-01-01T00:00:00Z" },
    ...{ picker, pickerPort },
  });
  const b = pool("b", "shared-epp", 10_000);
  const others = [pool("a", "another-epp", 10_000), pool("a", "shared-epp", 10_001), b];
  expect(portRefusal(b, others)).toBeUndefined();
  expect(portRefusal(b, [...others, pool("a", "shared-epp", 10_000)])).toBe(
    "port 10000 belongs to pool a; use another port",
  );
});
