import type { SetState } from "./set-state.ts";

/** LeaderWorkerSets of one service during a rollout, by name. */
export interface RolloutState {
  /** Sets in the cluster. */
  readonly sets: ReadonlyMap<string, SetState>;
  /** Sets whose update has not begun, in the order of their updates. */
  readonly waiting: readonly string[];
  /** Sets whose update has begun and is not complete. */
  readonly updating: ReadonlySet<string>;
  /** Sets that this operation created: they are not missed, because they never served. */
  readonly created: ReadonlySet<string>;
}

/** The updates to begin now, and the sets for which the others wait. */
export interface NextUpdates {
  readonly begin: readonly string[];
  readonly waitsFor: readonly string[];
}

/**
 * Returns the updates that may begin. A set with no ready group begins at once, because it serves no request. A set
 * that serves begins only when every other set of the service is settled, so at most one replica is away at a time.
 * Sets that are partly ready begin before the rest, which begin in their order.
 */
export function nextUpdates({ sets, waiting, updating, created }: RolloutState): NextUpdates {
  const idle = waiting.filter((name) => (sets.get(name)?.ready ?? 0) === 0);
  if (idle.length > 0) return { begin: idle, waitsFor: [] };
  const serving = waiting.filter((name) => !idle.includes(name));
  const next = serving.find((name) => sets.get(name)?.isSettled === false) ?? serving[0];
  if (next === undefined) return { begin: [], waitsFor: [] };
  const waitsFor = [...sets.values()]
    .filter(({ name }) => name !== next && !created.has(name))
    .filter(({ name, isSettled }) => updating.has(name) || !isSettled)
    .map(({ name }) => name);
  return waitsFor.length === 0 ? { begin: [next], waitsFor } : { begin: [], waitsFor };
}
