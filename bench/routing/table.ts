import type { Figures } from "./figures.ts";

const columns: ReadonlyArray<readonly [title: string, of: (figures: Figures) => string]> = [
  ["first token: mean", ({ mean }) => mean.toFixed(0)],
  ["p50", ({ p50 }) => p50.toFixed(0)],
  ["p95", ({ p95 }) => p95.toFixed(0)],
  ["p99 ms", ({ p99 }) => p99.toFixed(0)],
  ["between tokens ms", ({ interToken }) => interToken.toFixed(1)],
  ["in good time %", ({ goodput }) => goodput.toFixed(0)],
  ["failed", ({ failed }) => String(failed)],
  ["most/mean per pod", ({ spread }) => spread.toFixed(2)],
  ["engine queue p99", ({ queue }) => String(queue)],
  ["cached %", ({ hits }) => hits.toFixed(0)],
];

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** The head of the table of a trace, as Markdown. */
export const tableHead = (trace: string): string =>
  `\n${row([trace, ...columns.map(([title]) => title)])}\n${row(["", ...columns].map(() => "---"))}`;

export const tableRow = (contender: string, figures: Figures): string =>
  row([contender, ...columns.map(([, of]) => of(figures))]);
