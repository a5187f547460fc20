/**
 * A function that remembers what it made last.
 *
 * @param most that are remembered
 * @param textOf tells what is alike; undefined where that cannot be told
 */
export function remembering<Given, Made>(
  most: number,
  textOf: (given: Given) => string | undefined,
  make: (given: Given) => Made,
): (given: Given) => Made {
  const made = new Map<string, Made>();
  return (given) => {
    const text = textOf(given);
    if (text === undefined) return make(given);
    const value = made.get(text) ?? make(given);
    // Those asked for last are at the end.
    made.delete(text);
    made.set(text, value);
    const [oldest] = made.keys();
    if (made.size > most && oldest !== undefined) made.delete(oldest);
    return value;
  };
}
