/** Distinct values of a label that clients choose. */
export const maxLabelValues = 1_000;

/** What values beyond the limit become. */
export const overflow = "other";

/**
 * Values of a label that clients choose. A time series stays as long as the process, so that only so many values are
 * let in: the first ones, and those that the operator named.
 *
 * @param isConfigured a value that is let in beyond the limit
 */
export function boundedLabel(
  limit: number,
  isConfigured: (value: string) => boolean = () => false,
): (value: string) => string {
  const admitted = new Set<string>();
  let clients = 0;
  return (value) => {
    if (admitted.has(value) || value === "") return value;
    if (!isConfigured(value)) {
      if (clients >= limit) return overflow;
      clients += 1;
    }
    admitted.add(value);
    return value;
  };
}
