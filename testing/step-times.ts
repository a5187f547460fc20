/** Measures the steps of a walk, in seconds. */
export class StepTimes {
  readonly #steps: Array<readonly [step: string, seconds: number]> = [];

  /** Runs a step and records its time, also if it fails. */
  async timed<T>(step: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.#steps.push([step, (performance.now() - started) / 1000]);
    }
  }

  /** Returns one line per step, and the sum. */
  text(): string {
    const sum = this.#steps.reduce((total, [, seconds]) => total + seconds, 0);
    return [...this.#steps, ["all steps", sum] as const]
      .map(([step, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${step}`)
      .join("\n");
  }
}
