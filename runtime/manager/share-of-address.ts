import type { Socket } from "node:net";

/** Number of uses that an address may have for each one that is free. */
const perFree = 2;

/**
 * Limits the concurrent connections, streams or requests of each address. If all addresses share a total, an address may
 * use up to twice the number that is free: one address leaves a third, two leave a fifth, and another address always
 * finds capacity (Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998).
 */
export class ShareOfAddress {
  readonly #most: number;
  /** Concurrent uses of all addresses. */
  readonly total: number;
  readonly #counts = new Map<string, number>();
  #count = 0;

  /**
   * @param most concurrent uses of one address
   * @param total concurrent uses of all addresses. Default: no limit
   */
  constructor(most: number, total = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.total = total;
  }

  /** Number of uses that are free; infinite without a total. */
  get free(): number {
    return this.total - this.#count;
  }

  /** Closes a connection beyond the limit of its address. */
  readonly admit = (socket: Socket): void => {
    const leave = this.enter(socket.remoteAddress ?? "");
    if (leave === undefined) socket.destroy();
    else socket.once("close", leave);
  };

  /** Counts one more use of an address. Returns a function that ends it; undefined if the address is at its limit. */
  enter(address: string): (() => void) | undefined {
    const count = this.#counts.get(address) ?? 0;
    if (count >= Math.min(this.#most, perFree * this.free)) return undefined;
    this.#counts.set(address, count + 1);
    this.#count += 1;
    return () => {
      this.#count -= 1;
      const left = (this.#counts.get(address) ?? 1) - 1;
      if (left === 0) this.#counts.delete(address);
      else this.#counts.set(address, left);
    };
  }
}
