import type { Reserve } from "../flow-control/policies.ts";
import { constants } from "../load-constants.ts";

const { pressedServers } = constants;

/** How full a server of a stage is: 1 is full. */
interface Filled {
  readonly full: number;
}

/** Servers that requests leave to those of higher bands. */
export interface Reserved<Server> {
  readonly servers: readonly Server[];
  /** The part of its slots that they use of the one at the edge, which is full by that. */
  readonly edge: { readonly server: Server; readonly usable: number } | undefined;
}

/**
 * Returns what requests leave to those of higher bands: the first servers of a stage, so that all pickers that know the same
 * order leave the same ones. They leave whole servers, and of the one at the edge the slots that are to be free.
 *
 * @param servers those that get requests, in an order that stays
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

/** Whether servers beyond the first ones have hardly a place; where there are none, whether all have. */
function arePressed(servers: readonly Filled[], first: number): boolean {
  const beyond = first < servers.length ? servers.slice(first) : servers;
  return (
    beyond.reduce((sum, { full }) => sum + Math.min(1, full), 0) >= pressedServers * beyond.length
  );
}

/**
 * How many whole servers of so many that is, and what others may use of the next one. A server of which only a part is left works
 * on as many as others do: where there is no whole one, slots are left to be found there, and no more; or a whole one
 * is left where that leaves no more unused than may be.
 */
function extentOf({ used, free, least, most }: Reserve, servers: number) {
  const left = (used + free) * servers;
  const whole = Math.floor(left);
  if (whole > 0) return { whole, usable: 1 - Math.min(left - whole, free * servers) };
  if (1 - used * servers <= most * servers) return { whole: 1, usable: 1 };
  return { whole, usable: 1 - Math.min(1, least * servers) };
}
