interface Versioned {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting?: boolean;
}

/**
 * Written objects, kept until the watch reports the writes. Plans that are made before the report use the written
 * objects, so that nothing is written twice.
 */
export class PendingWrites<T extends Versioned> {
  /** A deleted object is stored as its uid. */
  readonly #objects = new Map<string, T | { readonly deleted: string }>();
  readonly #observed: () => string | undefined;
  #newestObserved = 0;

  /** @param observed returns the version of the local copy of the collection; undefined while it is unknown */
  constructor(observed: () => string | undefined) {
    this.#observed = observed;
  }

  put(key: string, object: T): void {
    this.#objects.set(key, object);
  }

  deleted(key: string, uid: string): void {
    this.#objects.set(key, { deleted: uid });
  }

  /** Returns the newer of the written object and the object from the watch. */
  newest(key: string, known: T | undefined): T | undefined {
    this.#forgetLostWrites();
    const written = this.#objects.get(key);
    if (written === undefined) return known;
    if ("deleted" in written) {
      // Finalizers delay the deletion of an object.
      if (known?.uid === written.deleted && !known.deleting) return undefined;
    } else if (!this.#isOvertaken(written)) return written;
    this.#objects.delete(key);
    return known;
  }

  /** Forgets all writes if the server's version went back: it was restored from a backup that may lack them. */
  #forgetLostWrites(): void {
    const observed = Number(this.#observed() ?? this.#newestObserved);
    if (observed < this.#newestObserved) this.#objects.clear();
    this.#newestObserved = observed;
  }

  /**
   * Whether the local copy includes the write. Compares the version of the collection, not of the object, because a
   * response may arrive after the event that deleted the object.
   */
  #isOvertaken({ resourceVersion }: T): boolean {
    const observed = this.#observed();
    // Resource versions of one kind are increasing numbers (KEP-5504).
    return observed !== undefined && Number(observed) >= Number(resourceVersion);
  }
}
