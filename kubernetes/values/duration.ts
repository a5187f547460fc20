/** Milliseconds of each unit of Go's time.ParseDuration. */
export const durationUnits = new Map([
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
  ["us", 1e-3],
  ["µs", 1e-3],
  ["μs", 1e-3],
  ["ns", 1e-6],
]);

const part = /(\d+\.?\d*|\.\d+)(h|ms|m|s|us|µs|μs|ns)/gy;

/** Returns the ms of a duration in Go's format (`50ms`, `1m30s`, `0`); undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  let sum = 0;
  let end = 0;
  for (const { 0: whole, 1: number, 2: unit, index } of text.matchAll(part)) {
    sum += Number(number) * (durationUnits.get(unit as string) as number);
    end = index + whole.length;
  }
  return text !== "" && end === text.length ? sum : undefined;
}

/**
 * A duration in the format of the Gateway API (GEP-2257): up to four units, each with a whole number of up to five
 * digits.
 */
export const gatewayDuration = /^([0-9]{1,5}(h|m|s|ms)){1,4}$/;
