/** Number of keys that are remembered; the one that has been unused for the longest time is forgotten. */
const maxRemembered = 1_000;

/** Adds an entry, and removes the oldest one if the map is full. */
export function remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key);
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > maxRemembered && oldest !== undefined) memory.delete(oldest);
}

export interface Rate {
  /** Uses in a burst. */
  readonly burst: number;
  /** Uses that are added per second. */
  readonly perSecond: number;
}

/**
 * Returns a function that takes one use of an address, and returns false if the address has none left.
 *
 * @param now milliseconds of any clock
 */
export function newAllowance(
  now: () => number,
  { burst, perSecond }: Rate,
): (address: string) => boolean {
  const addresses = new Map<string, { left: number; at: number }>();
  return (address) => {
    const time = now();
    const { left, at } = addresses.get(address) ?? { left: burst, at: time };
    const allowed = Math.min(burst, left + ((time - at) * perSecond) / 1_000);
    remember(addresses, address, { left: Math.max(0, allowed - 1), at: time });
    return allowed >= 1;
  };
}
