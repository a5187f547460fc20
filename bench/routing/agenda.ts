import { Heap } from "../../scheduling/flow-control/heap.ts";

/** What happens at times in virtual time, the earliest first. */
export class Agenda {
  readonly #acts = new Heap<() => void>();

  /** When something happens next; infinite where nothing does. */
  get nextAt(): number {
    return this.#acts.first?.key ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, act: () => void): void {
    this.#acts.add(act, at, this.#acts.size);
  }

  /** What comes next happens. */
  next(): void {
    const { first } = this.#acts;
    if (first === undefined) return;
    this.#acts.remove(first);
    first.item();
  }
}
