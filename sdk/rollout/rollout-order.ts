import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { label } from "../topology/names.ts";

/**
 * Returns the names of planned LeaderWorkerSets in the order in which a rollout updates them: the updated share of
 * every role grows alike. Prefillers and decoders exchange KV blocks only within one template, so a rollout adds both of the new template and
 * removes both of the old one.
 */
export function rolloutOrder(sets: readonly Manifest[]): string[] {
  const names = new Map<string, string[]>();
  for (const { metadata } of sets) {
    const role = metadata.labels?.[label.roleName] ?? "";
    names.set(role, [...(names.get(role) ?? []), metadata.name]);
  }
  return [...names.values()]
    .flatMap((ofRole) => ofRole.map((name, at) => ({ name, share: (at + 1) / ofRole.length })))
    .sort((a, b) => a.share - b.share)
    .map(({ name }) => name);
}
