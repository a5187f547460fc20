import { runtimePorts } from "../topology/runtime-ports.ts";
import { type Aged, olderFirst } from "./age.ts";

/** A pool, and the port of a shared picker that it names. */
export interface PortClaim {
  readonly pool: Aged;
  readonly port: number;
}

export interface SharedPorts<Claim extends PortClaim> {
  /** Owner of each port. */
  readonly served: ReadonlyMap<number, Claim>;
  /** Reason why a pool is not served, by its name. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Ports that a planned picker uses itself. */
const planned: ReadonlySet<number> = new Set([runtimePorts.health, runtimePorts.metrics]);

/**
 * Assigns the ports of a picker that pools of a namespace share. The oldest pool that names a port gets it; among pools
 * of the same age, the first by name.
 */
export function sharedPorts<Claim extends PortClaim>(
  claims: readonly Claim[],
  ownPorts: ReadonlySet<number> = planned,
): SharedPorts<Claim> {
  const served = new Map<number, Claim>();
  const refused = new Map<string, string>();
  for (const claim of [...claims].sort((a, b) => olderFirst(a.pool, b.pool))) {
    const { pool, port } = claim;
    const owner = served.get(port);
    if (ownPorts.has(port))
      refused.set(pool.name, `port ${port} is reserved for the picker; use another port`);
    else if (owner !== undefined)
      refused.set(pool.name, `port ${port} belongs to pool ${owner.pool.name}; use another port`);
    else served.set(port, claim);
  }
  return { served, refused };
}

/** The fields of an InferencePool that name its picker and the picker's port. */
export interface PickedPool extends Aged {
  /** Service of its endpoint picker. */
  readonly picker: string;
  readonly pickerPort: number;
}

/** Reports whether two pools of a namespace name the same port of the same picker. */
export const wantOnePort = (a: PickedPool, b: PickedPool): boolean =>
  a.picker === b.picker && a.pickerPort === b.pickerPort;

/**
 * Returns why a shared picker does not serve a pool. Undefined if it does.
 *
 * @param pools pools of its namespace
 */
export function portRefusal(pool: PickedPool, pools: Iterable<PickedPool>): string | undefined {
  const rivals = [...pools].filter((each) => each.name !== pool.name && wantOnePort(each, pool));
  const claims = [pool, ...rivals].map((each) => ({ pool: each, port: each.pickerPort }));
  return sharedPorts(claims).refused.get(pool.name);
}
