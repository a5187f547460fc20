import { type Duration, expression, ratio } from "../../observability/promql.ts";
import { type Alert, type Recording, rounded } from "./alert.ts";
import { type Objective, percent } from "./objectives.ts";
import type { Target } from "./target.ts";

/**
 * Recording rules and alerts of an objective's error budget: the share of requests that may miss it. A burn rate of 1
 * spends the budget exactly in the window of the objective.
 */

/** Burn rates and windows of the SRE workbook, chapter "Alerting on SLOs", table 5-8. */
export const burnRates = [
  { rate: 14.4, long: "1h", short: "5m", severity: "page", for: "2m" },
  { rate: 6, long: "6h", short: "30m", severity: "page", for: "2m" },
  { rate: 3, long: "1d", short: "2h", severity: "ticket", for: "15m" },
  { rate: 1, long: "3d", short: "6h", severity: "ticket", for: "15m" },
] as const;

const shortWindows = ["5m", "30m", "1h", "2h"] as const;
const longWindows = ["6h", "1d", "3d"] as const;
type Window = (typeof shortWindows)[number] | (typeof longWindows)[number];

/** Names of the recorded series, each with the labels `objectives`, `objective` and `namespace`. */
export const recorded = {
  /** Share of requests that missed the objective. */
  ratio: (window: Window) => `inference:objective_errors:ratio_rate${window}`,
  /** Requests per second that count for the objective. */
  requests: "inference:objective_requests:rate5m",
  /** Requests per second that missed the objective. */
  errors: "inference:objective_errors:rate5m",
  /** Share of the error budget that is left; negative if the objective is missed. */
  budget: "inference:objective_error_budget:remaining",
} as const;

const labelsOf = ({ objectives, namespace }: Target, { name }: Objective) => ({
  objectives,
  objective: name,
  namespace,
});

const recordedSeries = (name: string, target: Target, objective: Objective) =>
  `${name}{${Object.entries(labelsOf(target, objective))
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(", ")}}`;

/** Returns the ratios over windows up to 2 hours, which alerts need within seconds. */
export const shortRatios = (target: Target, objective: Objective): Recording[] => [
  recording(recorded.requests, objective.requests("5m"), target, objective),
  recording(recorded.errors, objective.errors("5m"), target, objective),
  ...shortWindows.map((window) => ratioOver(window, target, objective)),
];

/** Returns the ratios over longer windows, and the rest of the error budget. */
export function longRatios(target: Target, objective: Objective, windowDays: number): Recording[] {
  const window: Duration = `${windowDays}d`;
  const average = (name: string) =>
    `avg_over_time(${recordedSeries(name, target, objective)}[${window}])`;
  const budget = budgetOf(objective);
  const remaining = expression(
    `1 - ${average(recorded.errors)} / ${average(recorded.requests)} / ${budget}`,
  );
  return [
    ...longWindows.map((window) => ratioOver(window, target, objective)),
    recording(recorded.budget, remaining, target, objective),
  ];
}

const ratioOver = (window: Window, target: Target, objective: Objective): Recording =>
  recording(
    recorded.ratio(window),
    ratio(objective.errors(window), objective.requests(window)),
    target,
    objective,
  );

const recording = (
  record: string,
  expr: Recording["expr"],
  target: Target,
  objective: Objective,
): Recording => ({ record, expr, labels: labelsOf(target, objective) });

/** Returns an alert for each row of the table. It fires if both windows exceed the burn rate. */
export const burnAlerts = (target: Target, objective: Objective, windowDays: number): Alert[] =>
  burnRates.map(({ rate, long, short, severity, for: time }) => {
    const limit = rounded(rate * budgetOf(objective));
    const over = (window: Window) =>
      `${recordedSeries(recorded.ratio(window), target, objective)} > ${limit}`;
    const days = rounded(windowDays / rate);
    return {
      alert: objective.alert,
      expr: expression(`${over(long)} and ${over(short)}`),
      for: time,
      severity,
      labels: { window: long },
      summary: `${target.title} spends the error budget of ${objective.title} ${rate} times too fast.`,
      description: `In the last ${long}, more than ${percent(limit)} of requests missed the objective: {{ $value | humanizePercentage }}. At a burn rate of ${rate}, the budget of ${windowDays} days lasts ${days} days.`,
    };
  });

const budgetOf = ({ share }: Objective): number => rounded(1 - share);
