import { describe, expect, it } from "vitest";
import { reservedServers } from "./reserved-servers.ts";

/** Servers by how full they are. */
const serversOf = (...full: readonly number[]) =>
  full.map((each, at) => ({ name: at, full: each }));

/** Names of the whole servers that are left, and of the one at the edge. */
function left(servers: ReturnType<typeof serversOf>, used: number, free = used, most = 1 / 6) {
  const { servers: whole, edge } = reservedServers(servers, { used, free, least: 0.01, most });
  return { whole: whole.map(({ name }) => name), edge: edge?.server.name };
}
const full = (count: number) => serversOf(...Array.from({ length: count }, () => 1));

describe("servers that are left to higher bands", () => {
  it("servers that are left are the first ones, and slots of the next", () => {
    expect(left(full(12), 0.1)).toEqual({ whole: [0, 1], edge: 2 });
    expect(left(full(10), 0.1)).toEqual({ whole: [0, 1], edge: undefined });
  });

  it("a server at the edge is left to all while it is less full", () => {
    const servers = full(12);
    // 2.4 servers are left: others use 0.6 of the third.
    const edgeOf = (filled: number) =>
      left(
        servers.map((each, at) => (at === 2 ? { ...each, full: filled } : each)),
        0.1,
      ).edge;
    expect([0.59, 0.61].map(edgeOf)).toEqual([undefined, 2]);
  });

  it("servers that are left are a whole one instead of most of one, where no more than allowed is unused then", () => {
    expect(left(full(4), 0.1, 0.1)).toEqual({ whole: [0], edge: undefined });
    expect(left(full(4), 0.1, 0.1, 0.1)).toEqual({ whole: [], edge: 0 });
  });

  it("servers that are left are slots that can be found where there are few servers", () => {
    const edgeOf = (filled: number) => left(serversOf(filled), 0.1).edge;
    expect([0.98, 0.995].map(edgeOf)).toEqual([undefined, 0]);
  });

  it.each([
    ["the others have places", serversOf(0, 0, 1, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8)],
    ["there are none", serversOf()],
  ])("servers that are left are none while %s", (_, servers) => {
    expect(left(servers, 0.1)).toEqual({ whole: [], edge: undefined });
  });
});
