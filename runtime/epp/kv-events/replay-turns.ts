/**
 * Limits concurrent replays. Each one brings all events that an engine published in minutes, while requests continue to
 * be served.
 */
export class ReplayTurns {
  readonly #most: number;
  #running = 0;
  readonly #waiting: Array<{ begin: () => void; left: boolean }> = [];

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Calls `begin` when a replay may start, immediately if there is capacity.
   *
   * @returns a function that ends the turn or removes it from the queue; repeated calls have no effect
   */
  take(begin: () => void): () => void {
    const turn = { begin, left: false, running: false };
    const leave = () => {
      if (turn.left) return;
      turn.left = true;
      if (!turn.running) return;
      this.#running -= 1;
      this.#next();
    };
    this.#waiting.push({
      begin: () => {
        turn.running = true;
        begin();
      },
      get left() {
        return turn.left;
      },
    });
    // The caller must have received `leave` before `begin` runs.
    queueMicrotask(() => this.#next());
    return leave;
  }

  #next(): void {
    while (this.#running < this.#most) {
      const turn = this.#waiting.shift();
      if (turn === undefined) return;
      if (turn.left) continue;
      this.#running += 1;
      turn.begin();
    }
  }
}
