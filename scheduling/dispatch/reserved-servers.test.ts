import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reservedServers } from "./reserved-servers.ts";

/** Servers with the given saturation. */
const serversOf = (...full: readonly number[]) =>
  full.map((each, at) => ({ name: at, full: each }));

/** Names of the servers reserved whole, and of the server reserved in part. */
function left(servers: ReturnType<typeof serversOf>, used: number, free = used, most = 1 / 6) {
  const { servers: whole, edge } = reservedServers(servers, { used, free, least: 0.01, most });
  return { whole: whole.map(({ name }) => name), edge: edge?.server.name };
}
const full = (count: number) => serversOf(...Array.from({ length: count }, () => 1));

describe("reservedServers", () => {
  it("reserves the first servers whole, and slots of the next one", () => {
    expect(left(full(12), 0.1)).toEqual({ whole: [0, 1], edge: 2 });
    expect(left(full(10), 0.1)).toEqual({ whole: [0, 1], edge: undefined });
  });

  it("does not reserve slots of the next server while it is less full", () => {
    const servers = full(12);
    // 2.4 servers are reserved: lower bands use 0.6 of the third.
    const edgeOf = (filled: number) =>
      left(
        servers.map((each, at) => (at === 2 ? { ...each, full: filled } : each)),
        0.1,
      ).edge;
    expect([0.59, 0.61].map(edgeOf)).toEqual([undefined, 2]);
  });

  it("reserves a server whole instead of most of it, if at most the allowed share stays unused", () => {
    expect(left(full(4), 0.1, 0.1)).toEqual({ whole: [0], edge: undefined });
    expect(left(full(4), 0.1, 0.1, 0.1)).toEqual({ whole: [], edge: 0 });
  });

  it("reserves at least the minimum share of a lone server", () => {
    const edgeOf = (filled: number) => left(serversOf(filled), 0.1).edge;
    expect([0.98, 0.995].map(edgeOf)).toEqual([undefined, 0]);
  });

  it("reserves no server while the pool has free slots, even if all its requests belong to higher bands", () => {
    expect(left(serversOf(0.5, 0.5), 1, 0).whole).toEqual([]);
    expect(left(full(2), 1, 0).whole).toEqual([0, 1]);
  });

  it.each([
    ["the others have free slots", serversOf(0, 0, 1, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8)],
    ["there is no server", serversOf()],
  ])("reserves no server if %s", (_, servers) => {
    expect(left(servers, 0.1)).toEqual({ whole: [], edge: undefined });
  });

  it("leaves a server to all bands in an idle pool, for any reserve", () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(part, part, fc.integer({ min: 1, max: 40 }), (used, wanted, count) => {
        const free = Math.min(wanted, 1 - used, 0.17);
        const servers = serversOf(...Array.from({ length: count }, () => 0));
        const reserve = { used, free, least: free, most: 0.17 };
        const { servers: whole, edge } = reservedServers(servers, reserve);
        expect(whole.length + (edge === undefined ? 0 : 1)).toBeLessThan(count);
      }),
    );
  });
});
