import type { PlannedSet, SetState } from "./set-state.ts";

/** LeaderWorkerSets of one service during a rollout, by name. */
export interface RolloutState {
  /** Sets in the cluster. */
  readonly sets: ReadonlyMap<string, SetState>;
  /** All sets of the service, in the order of their updates. */
  readonly planned: readonly PlannedSet[];
  /** Sets whose update has not begun, in the same order. */
  readonly waiting: readonly PlannedSet[];
  /** Sets whose update has begun and is not complete. */
  readonly updating: Pick<ReadonlySet<string>, "has">;
  /** Sets that this operation created: they are not missed, because they never served. */
  readonly created: Pick<ReadonlySet<string>, "has">;
}

/** The updates to begin now, and the sets for which the others wait. */
export interface NextUpdates {
  readonly begin: readonly string[];
  readonly waitsFor: readonly string[];
}

/**
 * Returns the updates that may begin. A set with no ready group begins at once, because it serves no request. A set
 * that serves begins only when every other set of the service is settled, so at most one replica is away at a time. A
 * role that allows more begins while fewer of its own replicas are away. Sets that are partly ready begin before the
 * rest, which begin in their order.
 */
export function nextUpdates(state: RolloutState): NextUpdates {
  const { sets, waiting } = state;
  const idle = waiting.filter(({ name }) => (sets.get(name)?.ready ?? 0) === 0);
  if (idle.length > 0) return { begin: idle.map(({ name }) => name), waitsFor: [] };
  const [first] = waiting;
  const next = waiting.find(({ name }) => sets.get(name)?.isSettled === false) ?? first;
  if (next === undefined) return { begin: [], waitsFor: [] };
  const away = awayBeside(next, state);
  const limit = Math.max(1, next.maxUnavailable);
  const waitsFor = limit === 1 ? away : away.filter(({ role }) => role === next.role);
  return waitsFor.length < limit
    ? { begin: [next.name], waitsFor: [] }
    : { begin: [], waitsFor: waitsFor.map(({ name }) => name) };
}

/** Returns the other sets of a service that are away, except those that never served. */
function awayBeside(next: PlannedSet, { planned, sets, updating, created }: RolloutState) {
  return planned.filter(({ name }) => {
    const set = sets.get(name);
    if (name === next.name || created.has(name) || set === undefined) return false;
    return updating.has(name) || !set.isSettled;
  });
}
