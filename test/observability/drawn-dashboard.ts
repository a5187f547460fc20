import type {
  DrawnDashboard,
  DrawnPanel,
  DrawnSeries,
} from "../../scripts/pictures/dashboard-picture.ts";
import { grafanaQuery } from "./grafana-query.ts";
import type { PlannedDashboard, PlannedPanel } from "./planned-objectives.ts";
import type { Series } from "./prometheus.ts";

/** Returns a planned dashboard with the results of its queries. */
export async function drawn(
  dashboard: PlannedDashboard,
  run: (query: string) => Promise<Series[]>,
  times: Pick<DrawnDashboard, "from" | "to" | "step">,
): Promise<DrawnDashboard> {
  const panels: DrawnPanel[] = [];
  for (const panel of dashboard.panels) {
    const series: DrawnSeries[] = [];
    for (const { expr, legendFormat } of panel.targets ?? [])
      series.push(...seriesOf(await run(grafanaQuery(dashboard, expr, times.step)), legendFormat));
    panels.push({ ...layoutOf(panel), series });
  }
  return { title: dashboard.title, description: dashboard.description, panels, ...times };
}

function layoutOf({ type, title, gridPos, fieldConfig }: PlannedPanel): Omit<DrawnPanel, "series"> {
  const { unit = "short", max, thresholds } = fieldConfig?.defaults ?? {};
  const limit = thresholds?.steps.find(({ value }) => value !== null)?.value ?? undefined;
  return { type, title, position: gridPos, unit, max, limit };
}

const seriesOf = (results: readonly Series[], legend: string): DrawnSeries[] =>
  results
    .map(({ metric, values }) => ({
      name: legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ""),
      points: values.map(([time, value]) => [time, Number(value)] as const),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
