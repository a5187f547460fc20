import { BlockList, isIP } from "node:net";

/**
 * Addresses that another cluster may direct requests to. The gateway and the picker of this cluster send the requests
 * from inside this cluster's network.
 */
/**
 * Networks that are never reachable, each with the reason: this host, link-local addresses, and addresses at which
 * clouds serve credentials to machines.
 */
export const neverReached = [
  ["0.0.0.0/8", "this host"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local, where clouds serve instance metadata"],
  ["100.100.100.200/32", "instance metadata of Alibaba Cloud"],
  ["168.63.129.16/32", "host agent of Azure"],
  ["192.0.0.192/32", "instance metadata of Oracle Cloud"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved, and broadcast"],
  ["::/128", "this host"],
  ["::1/128", "loopback"],
  ["fe80::/10", "link-local"],
  ["ff00::/8", "multicast"],
  ["64:ff9b::/96", "IPv4 by NAT64"],
  ["fd00:ec2::/32", "instance metadata of AWS"],
  ["fd20:ce::254/128", "instance metadata of Google Cloud"],
] as const;

export interface ReachOptions {
  /** CIDRs of the other cluster; undefined for all addresses. */
  readonly networks: readonly string[] | undefined;
  /** Whether loopback is allowed too, for clusters that all run on one machine. */
  readonly loopback: boolean;
}

/**
 * Returns the reason why an IP address is not reachable, as a phrase that follows the address; undefined if it is
 * reachable.
 */
export type Reach = (ip: string) => string | undefined;

export function reachOf({ networks, loopback }: ReachOptions): Reach {
  const never = neverReached
    .filter(([, why]) => !loopback || why !== "loopback")
    .map(([network, why]) => ({ list: listOf([network]), network, why }));
  const own = networks && listOf(networks.filter(isNetwork));
  return (ip) => {
    const family = isIP(ip);
    if (family === 0) return "is not an IP address";
    const type = family === 4 ? "ipv4" : "ipv6";
    const refused = never.find(({ list }) => list.check(ip, type));
    if (refused !== undefined) return `is in ${refused.network} (${refused.why})`;
    if (own === undefined || own.check(ip, type)) return undefined;
    return `is outside the cluster's networks (${networks?.join(", ") || "none"})`;
  };
}

/** Reports whether a string is an IP address with a prefix length, such as `10.4.0.0/14` or `fd12:3456::/48`. */
export function isNetwork(text: string): boolean {
  const [, address = "", prefix = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && !address.includes("%") && Number(prefix) <= (family === 4 ? 32 : 128);
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix = ""] = network.split("/");
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
