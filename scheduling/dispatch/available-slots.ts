import type { Endpoint } from "../endpoints/endpoint.ts";
import type { Reserve } from "../flow-control/policies.ts";
import type { ServerHealth } from "../server-model/server-health.ts";
import { type Holdback, noHoldback, slotsBeyondHoldback } from "./holdback.ts";
import type { Pool } from "./pool.ts";
import type { PoolSnapshot } from "./pool-snapshot.ts";
import { isLost } from "./server.ts";
import type { Moment } from "./wait-for-cheaper.ts";

/** The servers that can compute a prompt. */
interface PrefillSlots extends Pick<Moment, "until"> {
  /** Servers that have a free slot or will have one soon. */
  readonly able: readonly Endpoint[];
  readonly free: readonly Endpoint[];
}

/** Returns the last list if the same endpoints are free, so that a request that failed there is not tried again. */
export class LastList {
  #last: readonly Endpoint[] = [];

  same(now: readonly Endpoint[]): readonly Endpoint[] {
    const last = this.#last;
    const isSame = now.length === last.length && now.every((each, at) => each === last[at]);
    if (!isSame) this.#last = now;
    return this.#last;
  }
}

/** The slots of a pool that a request may use at one time. */
export class AvailableSlots {
  readonly pool: Pool;
  /** The state of the pool; of its free endpoints, those that the request may use. */
  readonly snapshot: PoolSnapshot;
  readonly held: Holdback;
  #prefill: PrefillSlots | undefined;
  #beyond: { readonly reserve: Reserve; readonly slots: AvailableSlots } | undefined;

  constructor(pool: Pool, snapshot: PoolSnapshot, held = noHoldback) {
    this.pool = pool;
    this.snapshot = snapshot;
    this.held = held;
  }

  /** Returns the slots beyond a reserve for higher bands. They are computed once while the reserve is the same. */
  beyond(reserve: Reserve, list: LastList): AvailableSlots {
    const last = this.#beyond;
    if (last?.reserve.used === reserve.used && last.reserve.free === reserve.free)
      return last.slots;
    const { pool, snapshot } = this;
    const { held, free, hasFree } = slotsBeyondHoldback(reserve, pool.inOrder, snapshot.free);
    const beyond = list.same(free);
    const left = { ...snapshot, free: held.size === 0 ? snapshot.free : beyond, hasFree };
    const slots = new AvailableSlots(pool, left, held);
    this.#beyond = { reserve, slots };
    return slots;
  }

  /**
   * Returns the servers that compute prompts, with the time until each has a free slot. Servers that are down, lost or
   * held back are excluded. The result is computed once.
   */
  prefill(health: ServerHealth, now: number): PrefillSlots {
    if (this.#prefill !== undefined) return this.#prefill;
    const has = new Set(this.snapshot.free);
    const until = new Map<Endpoint, number>();
    for (const server of this.pool.servers) {
      const { endpoint, computesPrompts } = server;
      if (!computesPrompts) continue;
      const isGone = endpoint.live.isDown || isLost(server, health, now);
      if (has.has(endpoint)) until.set(endpoint, 0);
      else if (!(isGone || this.held.has(endpoint))) until.set(endpoint, endpoint.live.msUntilSlot);
    }
    const able = [...until.keys()];
    this.#prefill = { able, free: able.filter((each) => has.has(each)), until };
    return this.#prefill;
  }
}
