import { getHeapStatistics } from "node:v8";

/** Returns the bytes of the heap's limit, divided by this number. */
export const shareOfHeap = (parts: number): number =>
  Math.floor(getHeapStatistics().heap_size_limit / parts);

/** A stream whose bytes are counted. */
export interface Holder {
  /** Ends the stream and drops its bytes. */
  evict(): void;
}

interface Address {
  readonly name: string;
  /** In the order in which the streams began. */
  readonly holdings: Set<Holding>;
  bytes: number;
}

/** Share of the budget that is freed when it is exceeded, so that not every further byte searches all streams. */
const freedShare = 1 / 16;

/**
 * Memory budget of a process for bytes that wait for peers: answers that are not read, and input that is not parsed
 * until they are. When it is exceeded, the largest streams of the address with the most bytes are evicted. A peer that
 * reads has room, whatever streams of other addresses hold.
 */
export class HeldBytes {
  readonly #most: number;
  readonly #addresses = new Map<string, Address>();
  #bytes = 0;

  /** @param most bytes of all streams. Default: a quarter of the heap */
  constructor(most = shareOfHeap(4)) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Starts to count the bytes of a stream. */
  enter(name: string, holder: Holder): Holding {
    let address = this.#addresses.get(name);
    if (address === undefined) {
      address = { name, holdings: new Set(), bytes: 0 };
      this.#addresses.set(name, address);
    }
    const holding = new Holding(this, address, holder);
    address.holdings.add(holding);
    return holding;
  }

  add(address: Address, more: number): void {
    address.bytes += more;
    this.#bytes += more;
    while (more > 0 && this.#bytes > this.#most) this.#evictFrom(this.#largest());
  }

  remove({ name, holdings }: Address, holding: Holding): void {
    holdings.delete(holding);
    if (holdings.size === 0) this.#addresses.delete(name);
  }

  #largest(): Address {
    let [largest] = this.#addresses.values();
    for (const address of this.#addresses.values())
      if (largest === undefined || address.bytes > largest.bytes) largest = address;
    return largest as Address;
  }

  /** Evicts the streams with more than half of the largest stream's bytes, the oldest first. */
  #evictFrom({ holdings }: Address): void {
    let most = 0;
    for (const { bytes } of holdings) most = Math.max(most, bytes);
    for (const holding of [...holdings]) {
      if (holding.bytes > most / 2) holding.evict();
      if (this.#bytes <= this.#most * (1 - freedShare)) return;
    }
  }
}

/** Bytes that one stream holds. */
export class Holding {
  readonly #budget: HeldBytes;
  readonly #address: Address;
  /** Undefined once the stream has ended: outgrown tables of `Address.holdings` keep holdings, and so would keep streams. */
  #holder: Holder | undefined;
  #bytes = 0;

  constructor(budget: HeldBytes, address: Address, holder: Holder) {
    this.#budget = budget;
    this.#address = address;
    this.#holder = holder;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Sets the bytes that the stream holds. It may be evicted for them. */
  hold(bytes: number): void {
    const more = bytes - this.#bytes;
    if (more === 0 || this.#holder === undefined) return;
    this.#bytes = bytes;
    this.#budget.add(this.#address, more);
  }

  /** The stream has ended. */
  leave(): void {
    if (this.#holder === undefined) return;
    this.hold(0);
    this.#holder = undefined;
    this.#budget.remove(this.#address, this);
  }

  evict(): void {
    const holder = this.#holder;
    this.leave();
    holder?.evict();
  }
}
