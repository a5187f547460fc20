import type { Reserve } from "../flow-control/policies.ts";
import { constants } from "../load-constants.ts";

const { nearlyAll } = constants;

/** Saturation of a server; 1 is full. */
interface Filled {
  readonly full: number;
}

/** Servers of a stage that are reserved for higher bands. */
export interface Reserved<Server> {
  readonly servers: readonly Server[];
  /**
   * The server that is reserved in part, and the share of its slots that lower bands may use. Undefined if lower bands
   * do not use this share yet.
   */
  readonly edge: { readonly server: Server; readonly usable: number } | undefined;
}

/**
 * Returns the servers of a stage that are reserved for higher bands. These are the first servers of the list: all
 * pickers use the same order, and thus reserve the same servers. Servers are reserved whole, and the last of them in
 * part.
 *
 * @param servers servers that get requests, in a fixed order
 */
export function reservedServers<Server extends Filled>(
  servers: readonly Server[],
  reserve: Reserve,
): Reserved<Server> {
  const { whole, usable } = extentOf(reserve, servers.length);
  const server = usable < 1 ? servers[whole] : undefined;
  if (whole > 0 && !arePressed(servers, whole + (server === undefined ? 0 : 1)))
    return { servers: [], edge: undefined };
  const edge = server !== undefined && server.full >= usable ? { server, usable } : undefined;
  return { servers: servers.slice(0, whole), edge };
}

/** Whether the servers after the first `first` are nearly full. If there are no such servers, all servers count. */
function arePressed(servers: readonly Filled[], first: number): boolean {
  const beyond = first < servers.length ? servers.slice(first) : servers;
  return beyond.reduce((sum, { full }) => sum + Math.min(1, full), 0) >= nearlyAll * beyond.length;
}

/**
 * Returns how many servers are reserved whole, and the share of the next server that lower bands may use. A server that
 * is reserved in part runs as many requests as the others and is not faster. If no server is reserved whole, only the
 * minimum (`least`) is therefore reserved, so that a request of a higher band finds a slot. One server is reserved
 * whole instead if at most the maximum (`most`) of all slots stays unused.
 */
function extentOf({ used, free, least, most }: Reserve, servers: number) {
  const left = (used + free) * servers;
  const whole = Math.floor(left);
  if (whole > 0) return { whole, usable: 1 - Math.min(left - whole, free * servers) };
  if (1 - used * servers <= most * servers) return { whole: 1, usable: 1 };
  return { whole, usable: 1 - Math.min(1, least * servers) };
}
