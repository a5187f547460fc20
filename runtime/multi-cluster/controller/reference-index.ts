/** Who refers to what: of an object that changed, those that it matters to. */
export class ReferenceIndex {
  readonly #targets = new Map<string, readonly string[]>();
  readonly #referrers = new Map<string, Set<string>>();

  /** What an object refers to from now on; nothing takes it out. */
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
