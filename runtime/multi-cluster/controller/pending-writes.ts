interface Versioned {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting?: boolean;
}

/**
 * Objects as writes left them, until the events of the writes come: what is planned meanwhile is planned from what
 * was written, so that nothing is written twice.
 */
export class PendingWrites<T extends Versioned> {
  /** A uid alone is an object that was deleted. */
  readonly #objects = new Map<string, T | { readonly deleted: string }>();
  readonly #observed: () => string | undefined;
  #newestObserved = 0;

  /** @param observed version of the collection that what is known is as of; undefined while that is not known */
  constructor(observed: () => string | undefined) {
    this.#observed = observed;
  }

  put(key: string, object: T): void {
    this.#objects.set(key, object);
  }

  deleted(key: string, uid: string): void {
    this.#objects.set(key, { deleted: uid });
  }

  /** The newer of what was written and what the API server told of. */
  newest(key: string, known: T | undefined): T | undefined {
    this.#forgetLostWrites();
    const written = this.#objects.get(key);
    if (written === undefined) return known;
    if ("deleted" in written) {
      // With finalizers it stays for a while.
      if (known?.uid === written.deleted && !known.deleting) return undefined;
    } else if (!this.#isOvertaken(written)) return written;
    this.#objects.delete(key);
    return known;
  }

  /** A server whose version went back was restored from a backup, which may lack what was written. */
  #forgetLostWrites(): void {
    const observed = Number(this.#observed() ?? this.#newestObserved);
    if (observed < this.#newestObserved) this.#objects.clear();
    this.#newestObserved = observed;
  }

  /**
   * Whether what is known is as of the write or later. The collection's version tells, and not the object's: an answer
   * may come after the event by which the object was deleted.
   */
  #isOvertaken({ resourceVersion }: T): boolean {
    const observed = this.#observed();
    // Versions of the objects of one kind are numbers that grow (KEP-5504).
    return observed !== undefined && Number(observed) >= Number(resourceVersion);
  }
}
