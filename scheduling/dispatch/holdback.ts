import type { Endpoint } from "../endpoints/endpoint.ts";
import type { Reserve } from "../flow-control/policies.ts";
import { reservedServers } from "./reserved-servers.ts";
import { type Server, StageSnapshot } from "./server.ts";

/** Servers held back for higher bands, with the share of their slots that lower bands may use, from 0 to 1. */
export type Holdback = ReadonlyMap<Endpoint, number>;

export const noHoldback: Holdback = new Map();

/**
 * Returns the servers that are free for a request that leaves a reserve to higher bands. The same share of each stage
 * is held back.
 *
 * @param servers all servers, in a fixed order
 * @param free servers with a free slot
 */
export function slotsBeyondHoldback(
  reserve: Reserve,
  servers: readonly Server[],
  free: readonly Endpoint[],
): { held: Holdback; free: readonly Endpoint[]; hasFree: boolean } {
  const held = new Map<Endpoint, number>();
  const isFree = new Set(free);
  const stages = (["prefills", "decodes"] as const).map((role) => {
    const stage = new StageSnapshot();
    const ofStage = servers.flatMap(({ endpoint, full, [role]: isOfStage }) =>
      isOfStage && full !== undefined ? { endpoint, full } : [],
    );
    const reserved = reservedServers(ofStage, reserve);
    for (const { endpoint } of reserved.servers) held.set(endpoint, 0);
    if (reserved.edge !== undefined) held.set(reserved.edge.server.endpoint, reserved.edge.usable);
    for (const { endpoint, full } of ofStage)
      stage.add(full, isFree.has(endpoint) && !held.has(endpoint));
    return stage;
  });
  const beyond = free.filter((endpoint) => !held.has(endpoint));
  return {
    held,
    free: beyond,
    hasFree: beyond.length > 0 && stages.every(({ hasFree }) => hasFree),
  };
}
