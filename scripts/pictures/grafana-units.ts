/** Formats of values by Grafana's unit. */

const significant = (value: number): string => String(Number(value.toPrecision(3)));

const withSteps =
  (base: number, units: readonly string[]) =>
  (value: number): string => {
    let rest = value;
    let at = 0;
    while (Math.abs(rest) >= base && at < units.length - 1) {
      rest /= base;
      at += 1;
    }
    return `${significant(rest)}${units[at]}`;
  };

const formats: Readonly<Record<string, (value: number) => string>> = {
  short: withSteps(1_000, ["", " K", " M", " B"]),
  percentunit: (value) => `${significant(100 * value)} %`,
  percent: (value) => `${significant(value)} %`,
  s: (value) =>
    Math.abs(value) < 1 ? `${significant(1_000 * value)} ms` : `${significant(value)} s`,
  reqps: (value) => `${significant(value)}/s`,
  cps: (value) => `${significant(value)}/s`,
  mbytes: withSteps(1_024, [" MiB", " GiB", " TiB"]),
};

/** @throws Error for a unit without a format */
export function formatted(unit: string, value: number): string {
  const format = formats[unit];
  if (format === undefined)
    throw new Error(`unit "${unit}" has no format; formats: ${Object.keys(formats).join(", ")}`);
  return value === 0 ? "0" : format(value);
}
