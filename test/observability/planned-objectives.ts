import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { Dashboard } from "../../sdk/plan/observability/dashboards.ts";
import {
  planServiceObjectives,
  type RuleGroup,
} from "../../sdk/plan/observability/service-objectives.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { serviceObjectivesSpecKind } from "../../sdk/validate/spec-kinds.ts";

/** Planned objects of the service that the recorded series belong to. */

const plan = (): Manifest[] =>
  planServiceObjectives(
    parseKind(serviceObjectivesSpecKind, {
      metadata: { name: "chat", namespace: "models" },
      spec: {
        of: { name: "chat" },
        objectives: {
          availability: 0.999,
          firstToken: { seconds: 0.6, share: 0.99 },
          perOutputToken: { seconds: 0.04, share: 0.99 },
        },
      },
    }),
  );

function planned(kind: string): Manifest {
  const found = plan().find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`the plan has no ${kind}`);
  return found;
}

export const plannedGroups = (): readonly RuleGroup[] =>
  (planned("PrometheusRule").spec as { groups: readonly RuleGroup[] }).groups;

/** Returns the planned dashboards by name: service, picker and engines. */
export const plannedDashboards = (): ReadonlyMap<string, PlannedDashboard> =>
  new Map(
    Object.entries(planned("ConfigMap").data as Record<string, string>).map(([file, json]) => [
      file.replace(/^models-chat-(.*)\.json$/, "$1"),
      JSON.parse(json) as PlannedDashboard,
    ]),
  );

/** Parts of a panel that a plot needs. */
export interface PlannedPanel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: ReadonlyArray<{
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }>;
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string;
      readonly max?: number;
      readonly thresholds?: { readonly steps: ReadonlyArray<{ readonly value: number | null }> };
    };
  };
}

export type PlannedDashboard = Omit<Dashboard, "panels"> & {
  readonly panels: readonly PlannedPanel[];
  readonly templating: {
    readonly list: ReadonlyArray<{
      readonly type: string;
      readonly name: string;
      readonly query: string;
    }>;
  };
};
