import { expect, it } from "vitest";
import { clientGroup, clientGroups } from "./client-group.ts";

const ofAddress = (address: string) => clientGroup(undefined, address);

it("counts all requests of a tenant in one group, whatever their address", () => {
  expect(clientGroup("acme", "192.0.2.1")).toBe(clientGroup("acme", "192.0.2.2"));
});

it("counts all requests of a /64 network in one group", () => {
  const one = ofAddress("2001:db8:0:1::1");
  for (const same of ["2001:db8:0:1:a:b:c:d", "2001:db8::1:0:0:0:2"])
    expect(ofAddress(same)).toBe(one);
  expect(ofAddress("::1")).toBe(ofAddress("::2"));
});

it("counts requests of clients that are not known in one group", () => {
  expect(clientGroup(undefined, undefined)).toBe(clientGroup(undefined, ""));
});

it.each([
  ["IPv4 addresses", (at: number) => `192.0.${at >> 8}.${at % 256}`],
  ["IPv6 networks", (at: number) => `2001:db8:0:${at.toString(16)}::1`],
])("spreads %s over all groups", (_, address) => {
  const sizes = Array.from({ length: clientGroups }, () => 0);
  for (let at = 0; at < 12_800; at += 1) {
    const group = ofAddress(address(at));
    sizes[group] = (sizes[group] ?? Number.NaN) + 1;
  }
  expect(Math.min(...sizes)).toBeGreaterThan(50);
  expect(Math.max(...sizes)).toBeLessThan(200);
});
