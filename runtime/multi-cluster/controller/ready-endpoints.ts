import type { Change } from "../../../kubernetes/cache/object-cache.ts";
import type { SliceObject } from "./read-network.ts";

/**
 * Counts the ready endpoints of each Service from its EndpointSlices. Keys of Services and slices are `namespace/name`.
 */
export class ReadyEndpoints {
  /** Ready endpoints of each slice, by Service. */
  readonly #slices = new Map<string, Map<string, number>>();
  readonly #services = new Map<string, string>();

  of(service: string): number {
    let ready = 0;
    for (const count of this.#slices.get(service)?.values() ?? []) ready += count;
    return ready;
  }

  /** Applies a change of a slice, and returns the affected Services. */
  change(change: Change<SliceObject>): ReadonlySet<string> {
    const { key } = change;
    const changed = new Set<string>();
    const before = this.#services.get(key);
    if (before !== undefined) {
      const slices = this.#slices.get(before);
      slices?.delete(key);
      if (slices?.size === 0) this.#slices.delete(before);
      this.#services.delete(key);
      changed.add(before);
    }
    if (change.type === "deleted") return changed;
    const { service, ready } = change.object;
    this.#services.set(key, service);
    const slices = this.#slices.get(service) ?? new Map<string, number>();
    this.#slices.set(service, slices.set(key, ready));
    return changed.add(service);
  }
}
