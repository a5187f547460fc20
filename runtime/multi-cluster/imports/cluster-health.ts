/**
 * What one look at a cluster found: it answers; it does not, or not in time; or nobody is there, which needs no second
 * look.
 */
export type Finding = "answers" | "fails" | "refuses";

export interface HealthPolicy {
  /** Failures in a row from which a cluster gets no requests. */
  readonly failures: number;
  /** Milliseconds for which a cluster that failed has to answer before it gets requests again. */
  readonly failbackDelayMs: number;
}

export interface ClusterHealth {
  readonly up: boolean;
  /** In a row. */
  readonly failures: number;
  /** Time since which a cluster that is down answers again; undefined if the last look failed. */
  readonly answersSince: number | undefined;
}

/** A cluster is up until a look says otherwise: a picker that starts has nothing against it. */
export const assumedUp: ClusterHealth = { up: true, failures: 0, answersSince: undefined };

/** The health after one more finding. It is lost fast and regained slowly, so that traffic does not swing. */
export function afterFinding(
  { up, failures, answersSince }: ClusterHealth,
  finding: Finding,
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
