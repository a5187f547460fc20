/**
 * Blocks of one engine, found by the engine's hash and by our key, of limited number: the one that was used longest ago is
 * forgotten first.
 *
 * Kept in typed arrays, some 48 bytes a block and nothing for the garbage collector to walk, as LruSet is. Slots are
 * numbered from 1; slot 0 heads the list of use and ends the chains of a bucket.
 */
export class BlockTable {
  #capacity: number;
  #size = 0;
  /** First of the slots that were given back, chained by `nextByHash`. */
  #free = 0;
  /** Slots that were ever used. */
  #used = 0;
  #hashes = new Float64Array(0);
  #keys = new Float64Array(0);
  #tiers = new Uint8Array(0);
  #older = new Int32Array(1);
  #newer = new Int32Array(1);
  #nextByHash = new Int32Array(1);
  #nextByKey = new Int32Array(1);
  #byHash = new Int32Array(1);
  #byKey = new Int32Array(1);

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes that it takes. */
  get bytes(): number {
    const slots = this.#hashes.length;
    return slots * (8 + 8 + 1 + 4 * 4) + 8 * this.#byHash.length;
  }

  get capacity(): number {
    return this.#capacity;
  }

  set capacity(capacity: number) {
    this.#capacity = capacity;
    while (this.#size > capacity) this.delete(this.#newer[0] as number);
  }

  /** Slot of the block that the engine calls so; 0 where there is none. */
  ofHash(hash: number): number {
    let slot = this.#byHash[this.#bucket(hash)] as number;
    while (slot !== 0 && this.#hashes[slot] !== hash) slot = this.#nextByHash[slot] as number;
    return slot;
  }

  /** Slot of the block with a key; 0 where there is none. */
  ofKey(key: number): number {
    let slot = this.#byKey[this.#bucket(key)] as number;
    while (slot !== 0 && this.#keys[slot] !== key) slot = this.#nextByKey[slot] as number;
    return slot;
  }

  key(slot: number): number {
    return this.#keys[slot] as number;
  }

  /** Bits of the tiers that have the block. */
  tiers(slot: number): number {
    return this.#tiers[slot] as number;
  }

  setTiers(slot: number, bits: number): void {
    this.#tiers[slot] = bits;
  }

  /** Adds a block that is not there, as the most recent one, in no tier. Returns its slot; 0 where there is no room at all. */
  add(hash: number, key: number): number {
    if (this.#capacity < 1) return 0;
    if (this.#size === this.#capacity) this.delete(this.#newer[0] as number);
    const slot = this.#take();
    this.#hashes[slot] = hash;
    this.#keys[slot] = key;
    this.#tiers[slot] = 0;
    this.#chain(slot);
    this.#linkNewest(slot);
    this.#size += 1;
    return slot;
  }

  /** Makes a block the most recent one. */
  touch(slot: number): void {
    this.#unlink(slot);
    this.#linkNewest(slot);
  }

  delete(slot: number): void {
    this.#unlink(slot);
    const hash = this.#bucket(this.#hashes[slot] as number);
    const key = this.#bucket(this.#keys[slot] as number);
    unchain(this.#byHash, this.#nextByHash, hash, slot);
    unchain(this.#byKey, this.#nextByKey, key, slot);
    this.#nextByHash[slot] = this.#free;
    this.#free = slot;
    this.#size -= 1;
  }

  /** Forgets all blocks, and gives back what they took. */
  clear(): void {
    this.#size = this.#free = this.#used = 0;
    this.#hashes = this.#keys = new Float64Array(0);
    this.#tiers = new Uint8Array(0);
    this.#older = new Int32Array(1);
    this.#newer = new Int32Array(1);
    this.#nextByHash = new Int32Array(1);
    this.#nextByKey = new Int32Array(1);
    this.#byHash = new Int32Array(1);
    this.#byKey = new Int32Array(1);
  }

  /** The low 32 bits of hashes and keys are mixed well enough. */
  #bucket(value: number): number {
    return (value | 0) & (this.#byHash.length - 1);
  }

  #chain(slot: number): void {
    const hash = this.#bucket(this.#hashes[slot] as number);
    const key = this.#bucket(this.#keys[slot] as number);
    this.#nextByHash[slot] = this.#byHash[hash] as number;
    this.#byHash[hash] = slot;
    this.#nextByKey[slot] = this.#byKey[key] as number;
    this.#byKey[key] = slot;
  }

  #take(): number {
    const slot = this.#free;
    if (slot !== 0) {
      this.#free = this.#nextByHash[slot] as number;
      return slot;
    }
    if (this.#used + 1 >= this.#hashes.length) this.#grow();
    this.#used += 1;
    return this.#used;
  }

  /** Every slot that was used is in use: there is no other reason to grow. */
  #grow(): void {
    const slots = Math.min(Math.max(64, 2 * this.#hashes.length), this.#capacity + 1);
    this.#hashes = grown(this.#hashes, new Float64Array(slots));
    this.#keys = grown(this.#keys, new Float64Array(slots));
    this.#tiers = grown(this.#tiers, new Uint8Array(slots));
    this.#older = grown(this.#older, new Int32Array(slots));
    this.#newer = grown(this.#newer, new Int32Array(slots));
    this.#nextByHash = new Int32Array(slots);
    this.#nextByKey = new Int32Array(slots);
    const buckets = 2 ** Math.ceil(Math.log2(slots));
    this.#byHash = new Int32Array(buckets);
    this.#byKey = new Int32Array(buckets);
    for (let slot = 1; slot <= this.#used; slot += 1) this.#chain(slot);
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

function unchain(first: Int32Array, next: Int32Array, bucket: number, slot: number): void {
  if (first[bucket] === slot) {
    first[bucket] = next[slot] as number;
    return;
  }
  let before = first[bucket] as number;
  while (next[before] !== slot) before = next[before] as number;
  next[before] = next[slot] as number;
}

function grown<Values extends Float64Array | Int32Array | Uint8Array>(
  old: Values,
  wider: Values,
): Values {
  wider.set(old);
  return wider;
}
