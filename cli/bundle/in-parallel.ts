/** Runs a task for each item, at most `limit` at a time. Returns the failures; a failure does not stop the others. */
export async function inParallel<T>(
  limit: number,
  items: readonly T[],
  run: (item: T) => Promise<void>,
): Promise<Array<{ item: T; error: Error }>> {
  const failures: Array<{ item: T; error: Error }> = [];
  const left = items.values();
  const worker = async () => {
    for (const item of left) {
      try {
        await run(item);
      } catch (error) {
        failures.push({ item, error: error as Error });
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return failures;
}
