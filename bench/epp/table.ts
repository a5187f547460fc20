import type { Case, Measurement } from "./cases.ts";
import type { ContenderName } from "./contenders.ts";

/** A case's medians, one contender per line, with ratios of the figure that the case is about. */
export function tableOf(
  { name, title, figure, bar }: Case,
  results: ReadonlyMap<ContenderName, readonly Measurement[]>,
): string {
  const medians = new Map(
    [...results].map(([contender, measured]) => [contender, medianOf(measured)]),
  );
  const ratio = (contender: ContenderName, base: ContenderName) => {
    const a = medians.get(contender)?.[figure];
    const b = medians.get(base)?.[figure];
    return a === undefined || b === undefined ? "" : `${(a / b).toFixed(2)}x`;
  };
  const lines = [...medians].map(([contender, median]) => [
    contender,
    text(median.microseconds, 0),
    text(median.requestsPerSecond, 0),
    text(median.cores, 2),
    text(median.p50, 2),
    text(median.p99, 2),
    text(median.peakMiB, 0),
    ratio(contender, "go"),
    ratio(contender, "before"),
    ratio(contender, "echo"),
    String(median.failures),
  ]);
  const head = ["", "us/request", "requests/s", "cores", "p50 ms", "p99 ms", "peak MiB"];
  const rows = [[...head, "to Go", "to before", "to echo", "failures"], ...lines];
  return [
    `\n${name}: ${title} (${labels[figure]}; ${bar})`,
    ...rows.map((row) => row.map((cell, at) => cell.padStart(at === 0 ? 6 : 11)).join("")),
  ].join("\n");
}

const labels = {
  microseconds: "us/request",
  requestsPerSecond: "requests/s",
  cores: "cores",
  p99: "p99 ms",
} satisfies Record<Case["figure"], string>;

function medianOf(measured: readonly Measurement[]): Measurement {
  const median = (pick: (measurement: Measurement) => number | undefined) => {
    const values = measured.flatMap((one) => pick(one) ?? []).sort((a, b) => a - b);
    const middle = (values.length - 1) / 2;
    return ((values[Math.floor(middle)] ?? Number.NaN) + (values[Math.ceil(middle)] ?? 0)) / 2;
  };
  const [first] = measured;
  const optional = (key: "microseconds" | "peakMiB" | "requestsPerSecond" | "p50" | "p99") =>
    first?.[key] === undefined ? {} : { [key]: median((one) => one[key]) };
  return {
    cores: median(({ cores }) => cores),
    ...optional("microseconds"),
    ...optional("peakMiB"),
    ...optional("requestsPerSecond"),
    ...optional("p50"),
    ...optional("p99"),
    failures: measured.reduce((sum, { failures }) => sum + failures, 0),
  };
}

const text = (value: number | undefined, digits: number) => value?.toFixed(digits) ?? "";
