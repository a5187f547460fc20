/**
 * A set of numbers of limited size that forgets what was not used longest.
 *
 * Kept in typed arrays, as a picker holds tens of thousands of keys for each of hundreds of servers: some 24 bytes a
 * key and nothing for the garbage collector to walk. Slots are numbered from 1; slot 0 heads the list of use (its
 * older neighbour is the newest key, its newer one the oldest) and ends the chains of a bucket.
 */
export class LruSet {
  #capacity: number;
  #size = 0;
  /** First of the slots that were used and given back, chained by `next`. */
  #free = 0;
  /** Slots that were ever used. */
  #used = 0;
  #keys = new Float64Array(0);
  #older = new Int32Array(1);
  #newer = new Int32Array(1);
  #next = new Int32Array(1);
  #buckets = new Int32Array(1);

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  get capacity(): number {
    return this.#capacity;
  }

  set capacity(capacity: number) {
    this.#capacity = capacity;
    while (this.#size > capacity) this.#forgetOldest();
  }

  has(key: number): boolean {
    return this.#find(key) !== 0;
  }

  /** Makes a key the most recent. */
  use(key: number): void {
    const known = this.#find(key);
    if (known !== 0) {
      this.#unlink(known);
      this.#linkNewest(known);
      return;
    }
    if (this.#capacity < 1) return;
    if (this.#size === this.#capacity) this.#forgetOldest();
    const slot = this.#take();
    const bucket = this.#bucket(key);
    this.#keys[slot] = key;
    this.#next[slot] = this.#buckets[bucket] as number;
    this.#buckets[bucket] = slot;
    this.#linkNewest(slot);
    this.#size += 1;
  }

  #find(key: number): number {
    let slot = this.#buckets[this.#bucket(key)] as number;
    while (slot !== 0 && this.#keys[slot] !== key) slot = this.#next[slot] as number;
    return slot;
  }

  /** The low 32 bits of a key are mixed well enough. */
  #bucket(key: number): number {
    return (key | 0) & (this.#buckets.length - 1);
  }

  #forgetOldest(): void {
    const slot = this.#newer[0] as number;
    this.#unlink(slot);
    const bucket = this.#bucket(this.#keys[slot] as number);
    if (this.#buckets[bucket] === slot) this.#buckets[bucket] = this.#next[slot] as number;
    else {
      let before = this.#buckets[bucket] as number;
      while (this.#next[before] !== slot) before = this.#next[before] as number;
      this.#next[before] = this.#next[slot] as number;
    }
    this.#next[slot] = this.#free;
    this.#free = slot;
    this.#size -= 1;
  }

  #take(): number {
    const slot = this.#free;
    if (slot !== 0) {
      this.#free = this.#next[slot] as number;
      return slot;
    }
    if (this.#used + 1 >= this.#keys.length) this.#grow();
    this.#used += 1;
    return this.#used;
  }

  #grow(): void {
    const slots = Math.min(Math.max(64, 2 * this.#keys.length), this.#capacity + 1);
    this.#keys = grown(this.#keys, new Float64Array(slots));
    this.#older = grown(this.#older, new Int32Array(slots));
    this.#newer = grown(this.#newer, new Int32Array(slots));
    this.#next = new Int32Array(slots);
    this.#buckets = new Int32Array(2 ** Math.ceil(Math.log2(slots)));
    for (let slot = 1; slot <= this.#used; slot += 1) {
      const bucket = this.#bucket(this.#keys[slot] as number);
      this.#next[slot] = this.#buckets[bucket] as number;
      this.#buckets[bucket] = slot;
    }
  }

  #unlink(slot: number): void {
    const older = this.#older[slot] as number;
    const newer = this.#newer[slot] as number;
    this.#newer[older] = newer;
    this.#older[newer] = older;
  }

  #linkNewest(slot: number): void {
    const newest = this.#older[0] as number;
    this.#older[slot] = newest;
    this.#newer[slot] = 0;
    this.#newer[newest] = slot;
    this.#older[0] = slot;
  }
}

function grown<Values extends Float64Array | Int32Array>(old: Values, wider: Values): Values {
  wider.set(old);
  return wider;
}
