import type { HealthRules } from "./health-service.ts";

/** A controller is ready when it has read its clusters; every other name of a service asks whether it lives. */
export const controllerHealth: HealthRules = {
  named: { readiness: "readiness" },
  others: "liveness",
};
