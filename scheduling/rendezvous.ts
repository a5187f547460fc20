import type { Endpoint, LiveState } from "./endpoint.ts";

/** How many replicas of a picker take requests; each of them decides on its part alone. */
export interface Replicas {
  count: number;
}

/**
 * The endpoint of a key by rendezvous hashing (Thaler and Ravishankar, 1998): whoever knows the same endpoints finds the
 * same one without asking anybody, and an endpoint that comes or goes moves its own keys only. Undefined where nobody
 * listens.
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

/** The key of a string, by FNV-1a. */
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

/** The finalizer of MurmurHash3: every bit of what is mixed changes about half of the bits. */
function mixed(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
