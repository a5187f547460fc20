import runtimeState from "@pulumi/pulumi/runtime/state.js";

// Its type declarations do not contain this function.
export const { withLocalStorage } = runtimeState as unknown as {
  withLocalStorage<T>(run: () => Promise<T>): Promise<T>;
};

/**
 * Returns the errors of a program in this process. Errors of registrations and in callbacks of outputs do not reject the
 * program's promise: they are unhandled rejections, which the listeners of the process must not receive. Each running
 * program gets all of them, because Node.js does not report which one caused it.
 *
 * @param ended resolves once the program makes no more calls; default: it makes none after `run`
 */
export async function collectErrors<Ending>(
  run: () => Promise<Ending>,
  ended: () => Promise<void> = async () => {},
): Promise<{ errors: unknown[]; ending?: Ending }> {
  const errors = new Set<unknown>();
  const collect = (error: unknown) => void errors.add(error);
  let ending: Ending | undefined;
  interception.enter(collect);
  try {
    ending = await run();
  } catch (error) {
    errors.add(error);
  } finally {
    // Rejections are reported after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    // A program that is abandoned still runs, and its calls of the engine fail.
    void ended().then(() => interception.leave(collect));
  }
  return { errors: [...errors], ...(ending !== undefined && { ending }) };
}

/** Replaces the process's listeners while programs run, and restores them after the last one. */
const interception = {
  running: new Set<(error: unknown) => void>(),
  outer: [] as NodeJS.UnhandledRejectionListener[],
  enter(collect: (error: unknown) => void) {
    if (this.running.size === 0) {
      this.outer = process.rawListeners(
        "unhandledRejection",
      ) as NodeJS.UnhandledRejectionListener[];
      process.removeAllListeners("unhandledRejection");
    }
    this.running.add(collect);
    process.on("unhandledRejection", collect);
  },
  leave(collect: (error: unknown) => void) {
    process.off("unhandledRejection", collect);
    this.running.delete(collect);
    if (this.running.size > 0) return;
    for (const listener of this.outer) process.on("unhandledRejection", listener);
  },
};
