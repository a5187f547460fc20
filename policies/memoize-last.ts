/**
 * Returns a function that caches its last results.
 *
 * @param most maximum number of cached results
 * @param keyOf returns the key of an argument; undefined disables caching for it
 */
export function memoizeLast<Given, Made>(
  most: number,
  keyOf: (given: Given) => string | undefined,
  make: (given: Given) => Made,
): (given: Given) => Made {
  const made = new Map<string, Made>();
  return (given) => {
    const text = keyOf(given);
    if (text === undefined) return make(given);
    const value = made.get(text) ?? make(given);
    // The most recently used results are last.
    made.delete(text);
    made.set(text, value);
    const [oldest] = made.keys();
    if (made.size > most && oldest !== undefined) made.delete(oldest);
    return value;
  };
}
