import {
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import { ThresholdsConfigBuilder, ThresholdsMode } from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TimeseriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import type { Expression } from "../../sdk/observability/promql.ts";

/** Panels of Grafana, built with its Foundation SDK. */

/** The Prometheus that the reader selects at the top of a dashboard. */
export const dataSource = { type: "prometheus", uid: "$datasource" };

/** Seconds between two scrapes of the planned monitors, for Grafana's window of rates. */
const scrapeInterval = "15s";

export interface Query {
  readonly expr: Expression;
  /** Name of each series, with labels such as `{{pod}}`. */
  readonly legend: string;
}

export interface PanelContent {
  readonly title: string;
  /** Question that the panel answers, or the action for a high value. */
  readonly description: string;
  /** Unit of Grafana, such as `s` or `percentunit`. Default: `short`, a number without a unit. */
  readonly unit?: string;
  readonly queries: readonly Query[];
  /** Columns of 24. Default 12. */
  readonly span?: number;
  /** Largest value of the axis. Default: by the data. */
  readonly max?: number;
  /** Value from which an alert of the same service counts, drawn as a line. */
  readonly limit?: number;
  /** Text without data. Default: Grafana's. */
  readonly noValue?: string;
}

const refIds = "ABCDEFGH";

const queriesOf = ({ queries }: PanelContent) =>
  queries.map(({ expr, legend }, at) =>
    new DataqueryBuilder()
      .refId(refIds.charAt(at))
      .datasource(dataSource)
      .expr(expr)
      .legendFormat(legend)
      .interval(scrapeInterval)
      .range(),
  );

const height = 8;
const halfWidth = 12;

/** Returns a plot over time. */
export function plot(content: PanelContent): TimeseriesBuilder {
  const { title, description, unit = "short", span = halfWidth, max, limit, noValue } = content;
  const panel = new TimeseriesBuilder()
    .title(title)
    .description(description)
    .datasource(dataSource)
    .targets(queriesOf(content))
    .unit(unit)
    .min(0)
    .span(span)
    .height(height)
    .lineWidth(1)
    .fillOpacity(8)
    .showPoints(VisibilityMode.Never)
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    );
  if (max !== undefined) panel.max(max);
  if (noValue !== undefined) panel.noValue(noValue);
  if (limit !== undefined)
    panel
      .thresholds(steps([null, "transparent"], [limit, "red"]))
      .thresholdsStyle(
        new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed),
      );
  return panel;
}

/** Returns numbers, one for each series, with a colour by their value. */
export function numbers(
  content: PanelContent,
  ...colours: ReadonlyArray<readonly [from: number | null, colour: string]>
): StatBuilder {
  const { title, description, unit = "short", span = halfWidth } = content;
  return new StatBuilder()
    .title(title)
    .description(description)
    .datasource(dataSource)
    .targets(queriesOf(content))
    .unit(unit)
    .decimals(1)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .span(span)
    .height(height)
    .thresholds(steps(...colours));
}

const steps = (...list: ReadonlyArray<readonly [value: number | null, color: string]>) =>
  new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps(list.map(([value, color]) => ({ value, color })));
