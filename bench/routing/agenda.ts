import { Heap } from "../../scheduling/flow-control/heap.ts";

/** Actions at times in virtual time, the earliest first. */
export class Agenda {
  readonly #acts = new Heap<() => void>();

  /** Time of the next action; infinite if there is none. */
  get nextAt(): number {
    return this.#acts.first?.key ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, act: () => void): void {
    this.#acts.add(act, at, this.#acts.size);
  }

  /** Runs the next action. */
  next(): void {
    const { first } = this.#acts;
    if (first === undefined) return;
    this.#acts.remove(first);
    first.item();
  }
}
