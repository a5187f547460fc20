import type { Change } from "../../kubernetes/object-cache.ts";

interface Versioned {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Objects as writes left them, until the events of the writes come: what is planned meanwhile is planned from what
 * was written, so that nothing is written twice.
 */
export class Written<T extends Versioned> {
  /** A uid alone is an object that was deleted. */
  readonly #objects = new Map<string, T | { readonly deleted: string }>();

  put(key: string, object: T): void {
    this.#objects.set(key, object);
  }

  deleted(key: string, uid: string): void {
    this.#objects.set(key, { deleted: uid });
  }

  /** The newer of what was written and what the API server told of. */
  newest(key: string, known: T | undefined): T | undefined {
    const written = this.#objects.get(key);
    if (written === undefined) return known;
    if ("deleted" in written) {
      if (known?.uid === written.deleted) return undefined;
    } else if (known === undefined || isOlder(known, written)) return written;
    this.#objects.delete(key);
    return known;
  }

  /** Forgets what an event overtakes. */
  told(change: Change<T>): void {
    const written = this.#objects.get(change.key);
    if (written === undefined) return;
    const isOvertaken =
      change.type === "deleted"
        ? "deleted" in written || change.previous.uid === written.uid
        : !("deleted" in written) && !isOlder(change.object, written);
    if (isOvertaken) this.#objects.delete(change.key);
  }

  clear(): void {
    this.#objects.clear();
  }
}

/** Versions of the objects of one kind are numbers that grow (KEP-5504). */
const isOlder = (a: Versioned, b: Versioned) =>
  Number(a.resourceVersion) < Number(b.resourceVersion);
