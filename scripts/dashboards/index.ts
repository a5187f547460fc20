import { engines } from "./engines.ts";
import { picker } from "./picker.ts";
import { service } from "./service.ts";

const folder = "sdk/plan/observability/dashboards";

/** Returns the dashboards as JSON, by path from the root. `ServiceObjectives` plans them for a service. */
export const dashboardFiles = (): Map<string, string> =>
  new Map(
    Object.entries({ service, picker, engines }).map(([name, build]) => [
      `${folder}/${name}.json`,
      `${JSON.stringify(build(), undefined, 2)}\n`,
    ]),
  );
