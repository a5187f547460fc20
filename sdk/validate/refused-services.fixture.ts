import { refusedEngines } from "./refused-engines.fixture.ts";
import { refusedRoles } from "./refused-roles.fixture.ts";
import { refusedRoutes } from "./refused-routes.fixture.ts";
import { refusedScheduling } from "./refused-scheduling.fixture.ts";

/** Refused services by topic. Each differs from a valid service by one edit. */
export const refusedServices = {
  roles: refusedRoles,
  engines: refusedEngines,
  routes: refusedRoutes,
  scheduling: refusedScheduling,
};
