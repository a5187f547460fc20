import type { Socket } from "node:net";

/** Counts what each address has at once, up to so many. */
export class ShareOfAddress {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Closes a connection of an address that has as many as it may. */
  readonly admit = (socket: Socket): void => {
    const leave = this.enter(socket.remoteAddress ?? "");
    if (leave === undefined) socket.destroy();
    else socket.once("close", leave);
  };

  /** Returns what ends it; undefined where the address has as many as it may. */
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
