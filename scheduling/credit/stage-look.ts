/** The model servers of one stage. */
export class StageLook {
  #servers = 0;
  #sum = 0;
  #free = 0;

  add(full: number, isFree: boolean): void {
    this.#servers += 1;
    this.#sum += Math.min(1, full);
    if (isFree) this.#free += 1;
  }

  get saturation(): number | undefined {
    return this.#servers === 0 ? undefined : this.#sum / this.#servers;
  }

  /** A stage without model servers stops nobody. */
  get hasFree(): boolean {
    return this.#servers === 0 || this.#free > 0;
  }
}
