/** Index of references between objects, which finds the referrers of an object that changed. */
export class ReferenceIndex {
  readonly #targets = new Map<string, readonly string[]>();
  readonly #referrers = new Map<string, Set<string>>();

  /** Replaces the targets of an object; an empty list removes it. */
  set(referrer: string, targets: readonly string[]): void {
    for (const target of this.#targets.get(referrer) ?? []) {
      const referrers = this.#referrers.get(target);
      referrers?.delete(referrer);
      if (referrers?.size === 0) this.#referrers.delete(target);
    }
    if (targets.length === 0) this.#targets.delete(referrer);
    else this.#targets.set(referrer, targets);
    for (const target of targets) {
      const referrers = this.#referrers.get(target);
      if (referrers === undefined) this.#referrers.set(target, new Set([referrer]));
      else referrers.add(referrer);
    }
  }

  referrersOf(target: string): Iterable<string> {
    return this.#referrers.get(target) ?? [];
  }
}
