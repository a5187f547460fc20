import { expect, it } from "vitest";
import { isNetwork, reachOf } from "./reachable-address.ts";

const anywhere = reachOf({ networks: undefined, loopback: false });

it.each([
  ["169.254.169.254", /^is in 169\.254\.0\.0\/16 \(link-local/],
  ["::ffff:169.254.169.254", /^is in 169\.254\.0\.0\/16/],
  ["fd00:ec2::254", /metadata of AWS/],
  ["127.0.0.1", /loopback/],
  ["127.8.9.10", /loopback/],
  ["::1", /loopback/],
  ["::ffff:127.0.0.1", /loopback/],
  ["0.0.0.0", /this host/],
  ["fe80::1", /link-local/],
  ["fe80::1%eth0", /link-local/],
  ["255.255.255.255", /broadcast/],
  ["224.0.0.1", /multicast/],
  ["100.100.100.200", /Alibaba/],
  ["localhost", /^is not an IP address/],
  ["0x7f.1", /^is not an IP address/],
  ["2130706433", /^is not an IP address/],
])("B4: %s is never reachable, for any networks", (ip, why) => {
  expect(anywhere(ip)).toMatch(why);
  expect(reachOf({ networks: ["0.0.0.0/0", "::/0"], loopback: false })(ip)).toMatch(why);
});

it("other addresses are reachable, and loopback if it is allowed", () => {
  expect(anywhere("10.0.0.1")).toBeUndefined();
  expect(anywhere("2001:db8::1")).toBeUndefined();
  expect(reachOf({ networks: undefined, loopback: true })("127.0.0.1")).toBeUndefined();
});

it("B4: only addresses in the networks of a cluster are reachable", () => {
  const reach = reachOf({ networks: ["10.4.0.0/14", "fd12::/48"], loopback: false });
  expect(reach("10.7.255.1")).toBeUndefined();
  expect(reach("fd12::9")).toBeUndefined();
  expect(reach("10.8.0.1")).toBe("is outside the cluster's networks (10.4.0.0/14, fd12::/48)");
  expect(reachOf({ networks: [], loopback: false })("10.7.255.1")).toBe(
    "is outside the cluster's networks (none)",
  );
});

it.each([
  ["10.4.0.0/14", true],
  ["fd12::/48", true],
  ["10.4.0.0", false],
  ["10.4.0.0/33", false],
  ["fd12::/129", false],
  ["pods/8", false],
])("isNetwork(%s) is %s", (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});
