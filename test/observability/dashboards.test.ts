import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dashboardPicture } from "../../scripts/pictures/dashboard-picture.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { drawn } from "./drawn-dashboard.ts";
import { grafanaQuery } from "./grafana-query.ts";
import { plannedDashboards, plannedGroups } from "./planned-objectives.ts";
import { type RecordedPrometheus, type Series, startPrometheus } from "./prometheus.ts";
import { hours, recordedDay, start } from "./recorded-day.ts";

/** Planned dashboards, with the queries of their panels run by the real Prometheus over recorded series. */

const dashboards = plannedDashboards();
const queries = [...dashboards].flatMap(([name, dashboard]) =>
  dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map((target) => ({ name, dashboard, title, ...target })),
  ),
);

const end = start + 3_600 * hours;
const step = 180;

let prometheus: RecordedPrometheus;
beforeAll(async () => {
  prometheus = await startPrometheus({
    ...{ series: recordedDay(), start, end },
    groups: plannedGroups().filter(({ name }) => !name.endsWith("usage")),
  });
}, 300_000);
afterAll(() => prometheus?.stop());

const run = (query: string): Promise<Series[]> => prometheus.queryRange(query, start, end, step);

describe("a query of a dashboard", () => {
  it.each(queries)(
    "$name, panel $title, query $refId returns data",
    async ({ dashboard, expr }) => {
      const series = await run(grafanaQuery(dashboard, expr, step));
      expect(series.length, expr).toBeGreaterThan(0);
      const values = series.flatMap(({ values }) => values.map(([, value]) => Number(value)));
      expect(
        values.some((value) => Number.isFinite(value) && value !== 0),
        expr,
      ).toBe(true);
    },
  );
});

describe("a picture of a dashboard in the docs", () => {
  it.each([...dashboards])(
    "shows the results for %s; --update draws it again",
    async (name, dashboard) => {
      const svg = dashboardPicture(await drawn(dashboard, run, { from: start, to: end, step }));
      await expect(svg).toMatchFileSnapshot(
        join(repositoryRoot, `docs/images/dashboards/${name}.svg`),
      );
    },
  );
});
