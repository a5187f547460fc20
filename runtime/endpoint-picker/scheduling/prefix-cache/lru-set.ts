/** A set of limited size that forgets what was not used longest. */
export class LruSet {
  readonly #keys = new Set<number>();
  capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get size(): number {
    return this.#keys.size;
  }

  has(key: number): boolean {
    return this.#keys.has(key);
  }

  /** Makes a key the most recent. */
  use(key: number): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.capacity) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      if (this.#keys.size <= this.capacity) return;
    }
  }
}
