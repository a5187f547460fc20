import type { HealthRules } from "../../manager/health/health-service.ts";

/**
 * Services of a picker with leader election, as the upstream picker has them (cmd/epp/runner/health.go): who stands by
 * is alive and not ready.
 */
const ofElected: HealthRules = {
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
const ofOnlyOne: HealthRules = { named: { liveness: "liveness" }, others: "readiness" };

/** What probes of a picker ask after, by the name of the service. */
export const healthRules = (leaderElection: boolean): HealthRules =>
  leaderElection ? ofElected : ofOnlyOne;

/**
 * What a picker needs to serve. The pool's appProtocol is no part of it: every parser here reads requests of HTTP/1.1
 * and of HTTP/2 alike.
 */
export interface Readiness {
  /** The pool exists, and its pods and rules were read. */
  readonly synced: boolean;
  /** Without leader election always true. */
  readonly leading: boolean;
  /** SIGTERM came. */
  readonly draining: boolean;
}

export const isReady = ({ synced, leading, draining }: Readiness): boolean =>
  synced && leading && !draining;
