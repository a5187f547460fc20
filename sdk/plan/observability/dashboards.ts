import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { dashboardsName, engineMonitorName } from "../../names.ts";
import type { ServiceObjectivesSpec } from "../../spec/service-objectives.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import { type Constant, objectivesRow } from "./dashboard-variables.ts";
import engines from "./dashboards/engines.json" with { type: "json" };
import picker from "./dashboards/picker.json" with { type: "json" };
import service from "./dashboards/service.json" with { type: "json" };
import { objectivesOf } from "./objectives.ts";
import type { Target } from "./target.ts";

/** Parts of a dashboard that the plan reads or sets. `npm run generate` writes the dashboards. */
export interface Dashboard {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly links: ReadonlyArray<{ readonly tags: readonly string[] }>;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

interface Variable {
  readonly type: string;
  readonly name: string;
}

/** A panel or, with type `row`, the heading of the panels after it. */
interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
}

/** Label that Grafana's sidecar for dashboards selects. */
const sidecarLabel = { grafana_dashboard: "1" };

/** Returns the ConfigMap with the dashboards of a service or pool. */
export function planDashboards(
  context: PlanContext,
  target: Target,
  spec: ServiceObjectivesSpec,
): Manifest {
  const { namespace, objectives } = target;
  const data = dashboardsOf(target, spec).map(
    ([name, dashboard]) =>
      // The sidecar writes the files of all ConfigMaps into one folder.
      [`${namespace}-${objectives}-${name}.json`, JSON.stringify(dashboard, undefined, 1)] as const,
  );
  return {
    apiVersion: kinds.ConfigMap.apiVersion,
    kind: "ConfigMap",
    metadata: objectMeta(context, dashboardsName(objectives), sidecarLabel),
    data: Object.fromEntries(data),
  };
}

/** Returns the dashboards by name. Only the engines of a service have a planned monitor. */
function dashboardsOf(target: Target, spec: ServiceObjectivesSpec): [string, Dashboard][] {
  const overview = objectivesOf(spec, target).length > 0 ? service : withoutRow(service);
  return Object.entries({
    service: overview,
    picker,
    ...(spec.of.kind === "InferenceService" && { engines }),
  }).map(([name, dashboard]) => [name, ofTarget(dashboard, target)]);
}

/** Returns a dashboard of the target. It has no uid, so Grafana gives it one when it loads the file. */
function ofTarget(dashboard: Dashboard, target: Target): Dashboard {
  const { namespace, objectives, job } = target;
  const owner = `${namespace}/${objectives}`;
  const constants: Readonly<Record<Constant, string>> = {
    namespace,
    objectives,
    picker_job: job,
    // The job that the Prometheus Operator sets for a PodMonitor.
    engine_job: `${namespace}/${engineMonitorName(objectives)}`,
  };
  const list = dashboard.templating.list.map((variable) => {
    if (variable.type !== "constant") return variable;
    const value = constants[variable.name as Constant];
    return { ...variable, query: value, current: { text: value, value } };
  });
  return {
    ...dashboard,
    title: `${dashboard.title}: ${owner}`,
    tags: [...dashboard.tags, owner],
    links: dashboard.links.map((link) => ({ ...link, tags: [owner] })),
    templating: { list },
  };
}

/** Returns a dashboard without the row of objectives. The rows below move up. */
function withoutRow(dashboard: Dashboard): Dashboard {
  const { panels } = dashboard;
  const from = panels.findIndex(({ title }) => title === objectivesRow);
  const to = panels.findIndex(({ type }, at) => at > from && type === "row");
  const top = panels[from]?.gridPos.y ?? 0;
  const height = (panels[to]?.gridPos.y ?? 0) - top;
  return {
    ...dashboard,
    panels: [
      ...panels.slice(0, from),
      ...panels.slice(to).map((panel) => ({
        ...panel,
        gridPos: { ...panel.gridPos, y: panel.gridPos.y - height },
      })),
    ],
  };
}
