import type { Figures } from "./figures.ts";

const columns: ReadonlyArray<readonly [title: string, of: (figures: Figures) => string]> = [
  ["first token: mean", ({ mean }) => mean.toFixed(0)],
  ["p50", ({ p50 }) => milliseconds(p50)],
  ["p95", ({ p95 }) => milliseconds(p95)],
  ["p99 ms", ({ p99 }) => milliseconds(p99)],
  ["between tokens ms", ({ interToken }) => interToken.toFixed(1)],
  ["in good time %", ({ goodput }) => goodput.toFixed(0)],
  ["failed", ({ failed }) => String(failed)],
  ["most/mean per pod", ({ spread }) => spread.toFixed(2)],
  ["engine queue p99", ({ queue }) => String(queue)],
  ["without the beginning", ({ laterQueue }) => String(laterQueue)],
  ["cached %", ({ hits }) => hits.toFixed(1)],
  ["joined pod, % of its share in 5 s", ({ joined }) => orDash(joined)],
  ["pick p50", ({ pickP50 }) => orDash(pickP50, 1)],
  ["p99 ms", ({ pickP99 }) => orDash(pickP99)],
];

/** A figure; a dash if the run has none. */
const orDash = (value: number, digits = 0) => (Number.isNaN(value) ? "-" : value.toFixed(digits));

/** A time; `lost` if too many requests have no answer for the percentile to exist. */
export const milliseconds = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "lost" : value.toFixed(0);

/** A row of a Markdown table. */
export const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** The head of the table of a trace, as Markdown. */
export const tableHead = (trace: string): string =>
  `\n${row([trace, ...columns.map(([title]) => title)])}\n${row(["", ...columns].map(() => "---"))}`;

export const tableRow = (contender: string, figures: Figures): string =>
  row([contender, ...columns.map(([, of]) => of(figures))]);

/** By trace: mean and p95 of every contender, and the ratio of the planned p95 to each other one. */
export function ratioTable(all: ReadonlyMap<string, ReadonlyMap<string, Figures>>): string {
  const names = [...new Set([...all.values()].flatMap((ofTrace) => [...ofTrace.keys()]))];
  const others = names.filter((name) => name !== "planned");
  const rows = [...all].map(([trace, ofTrace]) => {
    const planned = ofTrace.get("planned")?.p95 ?? Number.NaN;
    const figures = names.map((name) => ofTrace.get(name));
    return [
      trace,
      ...figures.map((each) => (each ? `${each.mean.toFixed(0)} / ${milliseconds(each.p95)}` : "")),
      ...others.map((name) => (planned / (ofTrace.get(name)?.p95 ?? Number.NaN)).toFixed(2)),
    ];
  });
  const head = ["mean / p95 ms", ...names, ...others.map((name) => `p95 / ${name}`)];
  return ["", row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}
