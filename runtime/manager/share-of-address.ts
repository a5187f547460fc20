import type { Socket } from "node:net";

/** Limits the concurrent connections or requests of each address. */
export class ShareOfAddress {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
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
    if (count >= this.#most) return undefined;
    this.#counts.set(address, count + 1);
    return () => {
      const left = (this.#counts.get(address) ?? 1) - 1;
      if (left === 0) this.#counts.delete(address);
      else this.#counts.set(address, left);
    };
  }
}
