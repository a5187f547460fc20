/** A program, cluster or server that was started. */
export interface Stoppable {
  stop(): Promise<unknown>;
}

/** Stops what was started, the last first, and empties the list. */
export async function stopAll(running: Stoppable[]): Promise<void> {
  for (const each of running.splice(0).reverse()) await each.stop();
}
