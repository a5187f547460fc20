/** How many replays run at once: each brings as much as its engine published in minutes, and requests go on beside it. */
export class ReplayTurns {
  readonly #most: number;
  #running = 0;
  readonly #waiting: Array<{ begin: () => void; left: boolean }> = [];

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Calls `begin` when it is its turn, at once where there is room.
   * @returns what gives the turn back, or takes it off the queue; it may be called more than once
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
    // The caller has what gives the turn back before it begins.
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
