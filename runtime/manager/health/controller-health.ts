import type { HealthRules } from "./health-service.ts";

/** A controller is ready when it has read its clusters. Every service name other than `readiness` checks liveness. */
export const controllerHealth: HealthRules = {
  named: { readiness: "readiness" },
  others: "liveness",
};
