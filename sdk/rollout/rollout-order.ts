import type { PlannedSet } from "./set-state.ts";

/**
 * Returns planned LeaderWorkerSets in the order in which a rollout updates them: the updated share of every role grows
 * alike. Prefillers and decoders exchange KV blocks only within one template, so a rollout adds both of the new template
 * and removes both of the old one.
 */
export function rolloutOrder(sets: readonly PlannedSet[]): PlannedSet[] {
  const roles = Map.groupBy(sets, ({ role }) => role);
  return [...roles.values()]
    .flatMap((ofRole) => ofRole.map((set, at) => ({ set, share: (at + 1) / ofRole.length })))
    .sort((a, b) => a.share - b.share)
    .map(({ set }) => set);
}
