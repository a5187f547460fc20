import { msBetweenTokens } from "../routing/figures.ts";
import { row } from "../routing/table.ts";
import { objectives } from "./engine.ts";
import type { ScalingRun } from "./run.ts";

export interface Figures {
  /** Percent of the requests that met both objectives. */
  readonly attainment: number;
  /** Time to the first token in ms. A lost request counts as later than any other. */
  readonly p95: number;
  readonly p99: number;
  /** Requests that were refused, timed out in the queue, or whose client gave up. */
  readonly lost: number;
  readonly gpuHours: number;
  readonly changes: number;
}

export function figuresOf({ outcomes, gpuHours, changes }: ScalingRun): Figures {
  const good = outcomes.filter((outcome) => {
    const { failed, firstAt, request, tokens } = outcome;
    if (failed || firstAt - request.at > objectives.firstTokenMs) return false;
    return tokens < 2 || msBetweenTokens(outcome) <= objectives.perTokenMs;
  });
  const first = outcomes
    .map(({ failed, firstAt, request }) =>
      failed ? Number.POSITIVE_INFINITY : firstAt - request.at,
    )
    .sort((a, b) => a - b);
  const quantile = (share: number) => first[Math.ceil(share * first.length) - 1] ?? Number.NaN;
  return {
    attainment: (100 * good.length) / outcomes.length,
    ...{ p95: quantile(0.95), p99: quantile(0.99) },
    lost: outcomes.filter(({ failed }) => failed).length,
    ...{ gpuHours, changes },
  };
}

const seconds = (ms: number) => (Number.isFinite(ms) ? (ms / 1_000).toFixed(1) : "lost");

const titles = [
  ...["contender", "in time %", "first token p95 s", "p99 s", "lost", "GPU hours"],
  ...["to fixed at the peak", "changes"],
];

export const tableHead = [row(titles), row(titles.map(() => "---"))].join("\n");

/** @param peak GPU hours of a fixed number of replicas for the peak */
export const tableRow = (contender: string, figures: Figures, peak: number): string =>
  row([
    contender,
    figures.attainment.toFixed(2),
    seconds(figures.p95),
    seconds(figures.p99),
    String(figures.lost),
    figures.gpuHours.toFixed(1),
    (figures.gpuHours / peak).toFixed(2),
    String(figures.changes),
  ]);
