import type { Endpoint, LiveState } from "./endpoint.ts";

/** Number of picker replicas that take requests. Each replica schedules its share independently. */
export interface Replicas {
  count: number;
}

/**
 * Returns the endpoint of a key by rendezvous hashing (Thaler and Ravishankar, 1998), or undefined if all endpoints are
 * down. Pickers with the same endpoints select the same one without communication. Adding or removing an endpoint moves
 * only the keys of that endpoint.
 */
export function rendezvous(key: number, endpoints: readonly Endpoint[]): Endpoint | undefined {
  let best: Endpoint | undefined;
  let most = -1;
  const [high, low] = [Math.floor(key / 2 ** 32), key % 2 ** 32];
  for (const endpoint of endpoints) {
    if (endpoint.live.isDown) continue;
    const weight = mixed(mixed(low ^ hashOf(endpoint)) ^ high) >>> 0;
    if (weight < most || (weight === most && endpoint.id > (best as Endpoint).id)) continue;
    best = endpoint;
    most = weight;
  }
  return best;
}

/** Returns the FNV-1a hash of a string, as a key for `rendezvous`. */
export function textKey(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

const hashes = new WeakMap<LiveState, number>();

function hashOf({ id, live }: Endpoint): number {
  let hash = hashes.get(live);
  if (hash === undefined) {
    hash = textKey(id);
    hashes.set(live, hash);
  }
  return hash;
}

/** The finalizer of MurmurHash3: changing one bit of the input changes about half of the bits of the result. */
function mixed(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
