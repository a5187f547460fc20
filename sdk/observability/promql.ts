import type { MetricFamily } from "./metrics.ts";

/** Labels that Prometheus adds to the series of a scraped program. */
type TargetLabel = "job" | "namespace" | "pod";

/** A condition on a label: a value, or a regular expression that must or must not match the whole value. */
export type Matcher = string | { readonly matches: string } | { readonly matchesNot: string };

/** Conditions on the labels of a family. A label that the family does not have fails to compile. */
export type Matchers<Family extends MetricFamily> = {
  readonly [Label in Family["labels"][number] | TargetLabel]?: Matcher;
};

/** A PromQL expression of instant vectors. */
export type Expression = string & { readonly expression: unique symbol };

/** Series of a family, with the matchers of one target added by `seriesOf`. */
export interface Selector<Family extends MetricFamily = MetricFamily> {
  readonly family: Family;
  readonly text: string;
}

/** Duration of Prometheus, such as `5m`. */
export type Duration = `${number}${"s" | "m" | "h" | "d"}`;

/** Window of a rate: a duration, or the window that Grafana sets for the time between two points of a plot. */
export type RateWindow = Duration | "$__rate_interval";

/** Returns text as an expression. */
export const expression = (text: string): Expression => text as Expression;

/** Returns the selector of a gauge or counter. */
export const select = <const Family extends MetricFamily & { type: "counter" | "gauge" }>(
  family: Family,
  matchers: Matchers<Family> = {},
): Selector<Family> => ({ family, text: selectorText(family.name, matchers) });

/** Returns the selector of a histogram's buckets up to a bound. */
export const bucketsUpTo = <const Family extends MetricFamily & { type: "histogram" }>(
  family: Family,
  bound: number,
  matchers: Matchers<Family> = {},
): Selector<Family> => ({
  family,
  text: selectorText(`${family.name}_bucket`, { ...matchers, le: boundMatcher(bound) }),
});

/** Returns the selector of all buckets of a histogram. */
export const buckets = <const Family extends MetricFamily & { type: "histogram" }>(
  family: Family,
  matchers: Matchers<Family> = {},
): Selector<Family> => ({ family, text: selectorText(`${family.name}_bucket`, matchers) });

/** Returns the selector of a histogram's number of observations or of their sum. */
export const total = <const Family extends MetricFamily & { type: "histogram" }>(
  family: Family,
  of: "count" | "sum",
  matchers: Matchers<Family> = {},
): Selector<Family> => ({ family, text: selectorText(`${family.name}_${of}`, matchers) });

/** Returns the increase per second over a window. */
export const rate = (selector: Selector, window: RateWindow): Expression =>
  expression(`rate(${selector.text}[${window}])`);

/** Returns the largest value of each series of a gauge over a window. */
export const maxOverTime = <Family extends MetricFamily>(
  { family, text }: Selector<Family>,
  window: RateWindow,
): Selector<Family> => ({ family, text: `max_over_time(${text}[${window}])` });

/** Returns the current values of a gauge. */
export const current = ({ text }: Selector): Expression => expression(text);

/** Returns a sum over all series, or over the series with equal values of some labels. */
export const sum = (of: Expression, by: readonly string[] = []): Expression =>
  expression(by.length === 0 ? `sum(${of})` : `sum by (${by.join(", ")}) (${of})`);

/** Returns the maximum of a gauge over all series, or over the series with equal values of some labels. */
export const max = <Family extends MetricFamily>(
  { text }: Selector<Family>,
  by: ReadonlyArray<Family["labels"][number]> = [],
): Expression =>
  expression(by.length === 0 ? `max(${text})` : `max by (${by.join(", ")}) (${text})`);

/** Returns an expression, or 0 if it has no series. */
export const orZero = (of: Expression): Expression => expression(`(${of} or vector(0))`);

export const ratio = (part: Expression, whole: Expression): Expression =>
  expression(`${part} / ${whole}`);

/** Returns a quantile of a histogram over a window. */
export const histogramQuantile = (
  quantile: number,
  selector: Selector,
  window: RateWindow,
): Expression =>
  expression(`histogram_quantile(${quantile}, ${sum(rate(selector, window), ["le"])})`);

function selectorText(name: string, matchers: Readonly<Record<string, Matcher | undefined>>) {
  const conditions = Object.entries(matchers).flatMap(([label, matcher]) =>
    matcher === undefined ? [] : [`${label}${conditionText(matcher)}`],
  );
  return conditions.length === 0 ? name : `${name}{${conditions.join(", ")}}`;
}

function conditionText(matcher: Matcher): string {
  if (typeof matcher === "string") return `=${JSON.stringify(matcher)}`;
  return "matches" in matcher
    ? `=~${JSON.stringify(matcher.matches)}`
    : `!~${JSON.stringify(matcher.matchesNot)}`;
}

/** Prometheus 3 stores the bound 1 as `1.0`, and Prometheus 2 as `1`. */
const boundMatcher = (bound: number): Matcher =>
  Number.isInteger(bound) ? { matches: `${bound}(\\.0)?` } : String(bound);
