import { type HealthStatus, healthStatus } from "../../process/health-service.ts";

/**
 * What the health of a picker depends on. The pool's appProtocol is no part of it: every parser here reads requests
 * of HTTP/1.1 and of HTTP/2 alike.
 */
export interface Readiness {
  /** The pool exists, and its pods and rules were read. */
  readonly synced: boolean;
  /** Without leader election always true. */
  readonly leading: boolean;
  /** SIGTERM came. */
  readonly draining: boolean;
}

type Rule = (readiness: Readiness) => boolean;

const ready: Rule = ({ synced, leading, draining }) => synced && leading && !draining;

/**
 * Services of a picker with leader election, as the upstream picker has them (cmd/epp/runner/health.go): who stands by
 * is alive and not ready.
 */
const servicesOfElected: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["liveness", () => true],
  ["readiness", ready],
  ["", ready],
  ["envoy.service.ext_proc.v3.ExternalProcessor", ready],
]);

/** Without leader election a picker answers every name, for example that of the probes, `inference-extension`, alike. */
export function healthOf(
  service: string,
  leaderElection: boolean,
  readiness: Readiness,
): HealthStatus {
  const rule = leaderElection ? servicesOfElected.get(service) : ready;
  if (rule === undefined) return healthStatus.serviceUnknown;
  return rule(readiness) ? healthStatus.serving : healthStatus.notServing;
}
