import {
  ConstantVariableBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type Panel,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { constants, linkTag } from "../../sdk/plan/observability/dashboard-variables.ts";

/** A panel before it is built. */
interface PanelBuilder {
  build(): Panel;
}

export interface DashboardContent {
  readonly title: string;
  readonly description: string;
  readonly rows: Readonly<Record<string, readonly PanelBuilder[]>>;
}

/**
 * Returns a dashboard for one service. Its queries select the service by constants, which the plan of ServiceObjectives
 * sets, together with the title, the uid and the tag of the links.
 */
export function dashboard({ title, description, rows }: DashboardContent): Dashboard {
  const builder = new DashboardBuilder(title)
    .description(description)
    .tags([linkTag])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: "now-6h", to: "now" })
    .refresh("1m")
    .timezone("browser")
    .variables([
      new DatasourceVariableBuilder("datasource").label("Prometheus").type("prometheus"),
      ...constants.map((name) => new ConstantVariableBuilder(name).value("")),
    ])
    .link(
      new DashboardLinkBuilder("Dashboards of the service")
        .type(DashboardLinkType.Dashboards)
        .tags([linkTag])
        .keepTime(true),
    );
  for (const [row, panels] of Object.entries(rows)) {
    builder.withRow(new RowBuilder(row));
    for (const panel of panels) builder.withPanel(panel);
  }
  const built = builder.build();
  return {
    ...built,
    // Without a placement, Grafana shows links at the top. The builder puts them into a menu.
    links: (built.links ?? []).map(({ placement: _, ...link }) => link),
    panels: (built.panels ?? []).map((panel, at) => ({ ...panel, id: at + 1 })),
  };
}
