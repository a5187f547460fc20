/**
 * Result of one probe of a cluster. `answers`: it responds. `fails`: it returns an error or responds too late.
 * `refuses`: nothing listens at its address, so no second probe is needed.
 */
export type ProbeResult = "answers" | "fails" | "refuses";

export interface HealthPolicy {
  /** Consecutive failures after which a cluster gets no requests. */
  readonly failures: number;
  /** How long a failed cluster must respond before it gets requests again, in ms. */
  readonly failbackDelayMs: number;
}

export interface ClusterHealth {
  readonly up: boolean;
  /** Consecutive failed probes. */
  readonly failures: number;
  /** When a cluster that is down began to respond again; undefined if the last probe failed. */
  readonly answersSince: number | undefined;
}

/** Initial health. A new picker treats every cluster as up until its probes fail. */
export const assumedUp: ClusterHealth = { up: true, failures: 0, answersSince: undefined };

/** Returns the health after one more probe. It is lost fast and regained slowly, so that traffic does not oscillate. */
export function afterProbe(
  { up, failures, answersSince }: ClusterHealth,
  finding: ProbeResult,
  now: number,
  policy: HealthPolicy,
): ClusterHealth {
  if (finding !== "answers") {
    const staysUp = up && finding === "fails" && failures + 1 < policy.failures;
    return { up: staysUp, failures: failures + 1, answersSince: undefined };
  }
  if (up) return assumedUp;
  const since = answersSince ?? now;
  if (now - since >= policy.failbackDelayMs) return assumedUp;
  return { up: false, failures: 0, answersSince: since };
}
