import type { MetricSpec } from "../../scheduling/endpoints/metric-spec.ts";
import { engineMetrics, gpuMetrics } from "../../sdk/observability/engine-metrics.ts";
import type { MetricFamily } from "../../sdk/observability/metrics.ts";
import {
  buckets,
  current,
  type Expression,
  expression,
  histogramQuantile,
  type Matchers,
  max,
  maxOverTime,
  rate,
  select,
  sum,
  total,
} from "../../sdk/observability/promql.ts";
import { constant } from "../../sdk/plan/observability/dashboard-variables.ts";
import type { Query } from "./panels.ts";

/** Queries of the series of one picker or of its engines. Names of metrics and labels come from the registry. */

type Counter = MetricFamily & { readonly type: "counter" };
type Gauge = MetricFamily & { readonly type: "gauge" };
type Histogram = MetricFamily & { readonly type: "histogram" };

const window = "$__rate_interval";

const ofPicker = <Family extends MetricFamily>(matchers: Matchers<Family> = {}) =>
  ({
    job: constant("picker_job"),
    namespace: constant("namespace"),
    ...matchers,
  }) as Matchers<Family>;

/** Returns the increase per second of a counter, by labels. */
export const perSecond = <const Family extends Counter>(
  family: Family,
  by: ReadonlyArray<Family["labels"][number]> = [],
  matchers: Matchers<Family> = {},
): Expression => sum(rate(select(family, ofPicker(matchers)), window), by);

/** Returns the increase per second of the sum of a histogram's observations, by labels. */
export const sumPerSecond = <const Family extends Histogram>(
  family: Family,
  by: ReadonlyArray<Family["labels"][number]> = [],
): Expression => sum(rate(total(family, "sum", ofPicker<Family>()), window), by);

/** Returns the increase of a counter divided by the increase of another. */
export const shareOf = (part: Counter, whole: Counter): Expression =>
  expression(`${perSecond(part)} / ${perSecond(whole)}`);

/** Returns the largest value of a gauge over the picker's pods, by labels. */
export const largest = <const Family extends Gauge>(
  family: Family,
  by: ReadonlyArray<Family["labels"][number]> = [],
): Expression => max(select(family, ofPicker<Family>()), by);

/** Returns the largest value of a gauge since the point before, for a gauge that is absent between two probes. */
export const largestSince = <const Family extends Gauge>(
  family: Family,
  by: ReadonlyArray<Family["labels"][number]> = [],
): Expression => max(maxOverTime(select(family, ofPicker<Family>()), window), by);

/** Returns the sum of a gauge over the picker's pods, by labels. */
export const sumOf = <const Family extends Gauge>(
  family: Family,
  by: ReadonlyArray<Family["labels"][number]> = [],
): Expression => sum(current(select(family, ofPicker<Family>())), by);

/** Returns percentiles of a histogram. */
export const percentiles = <const Family extends Histogram>(
  family: Family,
  quantiles: readonly number[],
  matchers: Matchers<Family> = {},
): Query[] =>
  quantiles.map((quantile) => ({
    expr: histogramQuantile(quantile, buckets(family, ofPicker(matchers)), window),
    legend: `p${100 * quantile}`,
  }));

/** Returns the series of the objectives' recording rules with a name. */
export const recordedSeries = (name: string): Expression =>
  expression(
    `${name}{objectives="${constant("objectives")}", namespace="${constant("namespace")}"}`,
  );

const engineJob = `job="${constant("engine_job")}"`;

/** Returns the series of the value's metrics of all engines. A pod runs one engine, so it has series of one of them. */
function ofEngines(specs: readonly MetricSpec[]): readonly string[] {
  const plain = specs.filter(({ labels }) => Object.keys(labels).length === 0);
  const others = specs.filter((spec) => !plain.includes(spec));
  const names = plain.map(({ family }) => family);
  return [
    ...(names.length === 0 ? [] : [`{__name__=~"${names.join("|")}", ${engineJob}}`]),
    ...others.map(
      ({ family, labels }) =>
        `${family}{${Object.entries(labels).map(([label, value]) => `${label}="${value}", `)}${engineJob}}`,
    ),
  ];
}

/** Returns a value of each engine pod, aggregated over its series. */
export const byPod = (value: keyof typeof engineMetrics, aggregation: "sum" | "max"): Expression =>
  expression(`${aggregation} by (pod) (${ofEngines(engineMetrics[value]).join(" or ")})`);

/** Returns the increase per second of a counter of each engine pod. */
export const byPodPerSecond = (value: keyof typeof engineMetrics): Expression =>
  expression(
    `sum by (pod) (${ofEngines(engineMetrics[value])
      .map((series) => `rate(${series}[${window}])`)
      .join(" or ")})`,
  );

/** Returns the series of engines that Prometheus reads. */
export const readEngines = (family: MetricFamily): Expression =>
  expression(`sum(${family.name}{${engineJob}})`);

/**
 * Returns a value of each GPU of an engine pod. Without `honorLabels`, Prometheus renames the exporter's labels `pod`
 * and `namespace`.
 */
export const byGpu = (value: keyof typeof gpuMetrics, scraped: MetricFamily): Expression => {
  const named = (inner: string, label: string) =>
    `label_replace(${inner}, "${label}", "$1", "exported_${label}", "(.+)")`;
  const series = named(named(gpuMetrics[value], "pod"), "namespace");
  return expression(
    `max by (pod, gpu) (${series} and on (namespace, pod) ${scraped.name}{${engineJob}})`,
  );
};
