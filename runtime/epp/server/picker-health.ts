import type { HealthRules } from "../../manager/health/health-service.ts";

/**
 * Probe services of a picker with leader election, as in the upstream picker (cmd/epp/runner/health.go): a standby is
 * alive but not ready.
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
 * Without leader election every name except `liveness` checks readiness, for example `inference-extension`, which
 * upstream's probes use.
 */
const withoutElection: HealthRules = { named: { liveness: "liveness" }, others: "readiness" };

/** Returns the check for each service name of a probe. */
export const pickerHealth = (leaderElection: boolean): HealthRules =>
  leaderElection ? withElection : withoutElection;
