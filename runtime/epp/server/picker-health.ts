import type { HealthRules } from "../../manager/health/health-service.ts";

/**
 * Services of a picker with leader election, as the upstream picker has them (cmd/epp/runner/health.go): who stands by
 * is alive and not ready.
 */
const withElection: HealthRules = {
  named: {
    liveness: "liveness",
    readiness: "readiness",
    "": "readiness",
    "envoy.service.ext_proc.v3.ExternalProcessor": "readiness",
  },
  others: undefined,
};

/**
 * Without leader election every name but `liveness` asks whether the picker is ready, for example that of upstream's
 * probes, `inference-extension`.
 */
const withoutElection: HealthRules = { named: { liveness: "liveness" }, others: "readiness" };

/** What each service name of a probe asks of a picker. */
export const pickerHealth = (leaderElection: boolean): HealthRules =>
  leaderElection ? withElection : withoutElection;
