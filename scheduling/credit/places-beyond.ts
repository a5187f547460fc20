import type { Endpoint } from "../endpoint.ts";
import type { Reserve } from "../flow-control/policies.ts";
import { reservedServers } from "./reserved-servers.ts";
import { type StagedServer, StageLook } from "./server.ts";

/** Servers that requests leave to those of higher bands, with the part of their slots that they use all the same. */
export type Left = ReadonlyMap<Endpoint, number>;

/**
 * Returns the places of a pool that are there for requests which leave some to those of higher bands: of each stage the same part.
 *
 * @param servers in an order that stays
 * @param free those with a place
 */
export function placesBeyond(
  reserve: Reserve,
  servers: readonly StagedServer[],
  free: readonly Endpoint[],
): { left: Left; free: readonly Endpoint[]; hasFree: boolean } {
  const left = new Map<Endpoint, number>();
  const isFree = new Set(free);
  const looks = [
    (server: StagedServer) => server.prefills,
    (server: StagedServer) => server.decodes,
  ].map((isOfStage) => {
    const look = new StageLook();
    const ofStage = servers.flatMap((server) => {
      const { endpoint, full } = server;
      return isOfStage(server) && full !== undefined ? { endpoint, full } : [];
    });
    const reserved = reservedServers(ofStage, reserve);
    for (const { endpoint } of reserved.servers) left.set(endpoint, 0);
    if (reserved.edge !== undefined) left.set(reserved.edge.server.endpoint, reserved.edge.usable);
    for (const { endpoint, full } of ofStage)
      look.add(full, isFree.has(endpoint) && !left.has(endpoint));
    return look;
  });
  const beyond = free.filter((endpoint) => !left.has(endpoint));
  return {
    left,
    free: beyond,
    hasFree: beyond.length > 0 && looks.every(({ hasFree }) => hasFree),
  };
}
