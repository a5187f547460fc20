import type { PlannedDashboard } from "./planned-objectives.ts";
import { scrapeSeconds } from "./recorded-series.ts";

/**
 * Returns the query that Grafana sends for a panel: with the values of the dashboard's constants, and with the window
 * for rates (Grafana, "Using $__rate_interval"): four scrapes, or the time between two points plus one scrape.
 */
export function grafanaQuery(
  { templating }: Pick<PlannedDashboard, "templating">,
  expr: string,
  step: number,
): string {
  const window = Math.max(step + scrapeSeconds, 4 * scrapeSeconds);
  const values = new Map([["__rate_interval", `${window}s`]]);
  for (const { type, name, query } of templating.list)
    if (type === "constant") values.set(name, query);
  return expr.replaceAll(/\$([a-z_]+)/g, (whole, name: string) => values.get(name) ?? whole);
}
