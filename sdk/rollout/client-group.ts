/** Number of groups of clients. The page of a picker contains their counts, and no tenant or address. */
export const clientGroups = 128;

/**
 * Returns the group in which the requests of a client count. All requests of a tenant are in one group. Without a
 * tenant, all requests of an address are; an IPv6 address counts by its /64 network, which one client has. Clients of
 * which neither is known share one group.
 */
export function clientGroup(tenant: string | undefined, address: string | undefined): number {
  const name = tenant ?? networkOf(address ?? "");
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1)
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  // The last bits of FNV-1a depend on the last bits of the characters only.
  return ((hash ^ (hash >>> 15)) >>> 0) % clientGroups;
}

function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [left = [], right = []] = address.split("::").map((part) => part.split(":"));
  const zeros = address.includes("::") ? Math.max(0, 8 - left.length - right.length) : 0;
  return [...left, ...Array.from({ length: zeros }, () => "0"), ...right].slice(0, 4).join(":");
}
