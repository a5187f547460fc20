import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import { serviceObjectivesSpecKind } from "../../validate/spec-kinds.ts";
import { constants } from "./dashboard-variables.ts";
import type { Dashboard } from "./dashboards.ts";
import { planServiceObjectives } from "./service-objectives.ts";

function configMapOf(spec: object, metadata: object = {}): Manifest {
  const manifests = planServiceObjectives(
    parseKind(serviceObjectivesSpecKind, {
      metadata: { name: "slo", namespace: "models", ...metadata },
      spec: { of: { name: "chat" }, ...spec },
    }),
  );
  return manifests.find(({ kind }) => kind === "ConfigMap") as Manifest;
}
const dashboardsOf = (spec: object, metadata: object = {}): Record<string, Dashboard> =>
  Object.fromEntries(
    Object.entries(configMapOf(spec, metadata).data as Record<string, string>).map(
      ([file, json]) => [file, JSON.parse(json) as Dashboard],
    ),
  );
const rowsOf = ({ panels }: Dashboard) =>
  panels.filter(({ type }) => type === "row").map(({ title }) => title);

describe("the plan of dashboards", () => {
  it("dashboards are in a ConfigMap that Grafana's sidecar finds, in files with the namespace and the name", () => {
    const { metadata } = configMapOf({});
    expect(metadata.name).toBe("slo-dashboards");
    expect(metadata.labels).toMatchObject({ grafana_dashboard: "1" });
    expect(Object.keys(dashboardsOf({}))).toEqual([
      "models-slo-service.json",
      "models-slo-picker.json",
      "models-slo-engines.json",
    ]);
  });

  it("dashboards select the service by constants with its names", () => {
    for (const { templating } of Object.values(dashboardsOf({}))) {
      const values = Object.fromEntries(
        templating.list
          .filter(({ type }) => type === "constant")
          .map((variable) => [variable.name, (variable as { query?: string }).query]),
      );
      expect(values).toEqual({
        namespace: "models",
        objectives: "slo",
        picker_job: "chat-epp",
        engine_job: "models/slo-engines",
      });
    }
  });

  it("dashboards refer to no other variable than the constants, the data source and the window of rates", () => {
    const known = [...constants, "datasource", "__rate_interval"];
    for (const dashboard of Object.values(dashboardsOf({})))
      for (const [, name] of JSON.stringify(dashboard).matchAll(/\$([a-z_]+)/g))
        expect(known).toContain(name);
  });

  it("dashboards have a title that is unique in Grafana, and links to each other", () => {
    const all = [
      ...Object.values(dashboardsOf({})),
      ...Object.values(dashboardsOf({}, { namespace: "other" })),
    ];
    expect(new Set(all.map(({ title }) => title)).size).toBe(6);
    for (const { links, tags } of all)
      expect(links.map((link) => link.tags)).toEqual([[tags.at(-1)]]);
  });

  it("dashboards have a row of objectives at the top if the service has objectives", () => {
    const requests = ["Requests", "Tokens and replicas"];
    const of = (spec: object) => dashboardsOf(spec)["models-slo-service.json"] as Dashboard;
    expect(rowsOf(of({ objectives: { availability: 0.999 } }))).toEqual([
      "Objectives",
      ...requests,
    ]);
    const without = of({});
    expect(rowsOf(without)).toEqual(requests);
    expect(without.panels[0]?.gridPos.y).toBe(0);
  });

  it("dashboards contain no panels of engines for a pool, whose engines have no planned monitor", () => {
    expect(Object.keys(dashboardsOf({ of: { kind: "InferencePool", name: "chat" } }))).toEqual([
      "models-slo-service.json",
      "models-slo-picker.json",
    ]);
  });

  it("dashboards contain no panel that overlaps another", () => {
    for (const { panels } of Object.values(dashboardsOf({ objectives: { availability: 0.99 } })))
      for (const [at, { title, gridPos: one }] of panels.entries())
        for (const { gridPos: other } of panels.slice(at + 1)) {
          const overlaps =
            one.x < other.x + other.w &&
            other.x < one.x + one.w &&
            one.y < other.y + other.h &&
            other.y < one.y + one.h;
          expect(overlaps, title).toBe(false);
        }
  });
});
