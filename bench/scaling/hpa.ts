/**
 * The algorithm of the HorizontalPodAutoscaler for one external metric with an AverageValue target, as a pure function.
 * Ported from Kubernetes 1.36.3, pkg/controller/podautoscaler; comments name the functions.
 */

/** Time between two syncs, in seconds: config/v1alpha1/defaults.go. */
export const syncSeconds = 15;

/** Difference between metric and target that changes nothing, as a share of the target: config/v1alpha1/defaults.go. */
const tolerance = 0.1;

/** Limits of a scale-up; the larger one applies: pkg/apis/autoscaling/v2/defaults.go and `planAutoscalers()`. */
const scaleUp = { pods: 4, percent: 100, periodSeconds: 15 };

export interface HpaRule {
  /** Metric per replica. */
  readonly target: number;
  readonly min: number;
  readonly max: number;
  /** Time in seconds for which fewer replicas must be enough. */
  readonly scaleDownSeconds: number;
}

interface Dated {
  /** Seconds. */
  readonly at: number;
  readonly replicas: number;
}

/** State of the controller between two syncs. */
export interface HpaState {
  readonly recommendations: readonly Dated[];
  /**
   * Changes of the number of replicas in the last period of the scale-up policies; negative if replicas were removed.
   */
  readonly changes: readonly Dated[];
}

export interface Sync {
  /** Seconds. */
  readonly now: number;
  /** `spec.replicas`. `status.replicas` is the same, because pods are created immediately. */
  readonly current: number;
  readonly metric: number;
}

/** Returns the number of replicas after a sync, and the state for the next one: `reconcileAutoscaler()`. */
export function syncHpa(
  state: HpaState | undefined,
  { now, current, metric }: Sync,
  rule: HpaRule,
): { readonly replicas: number; readonly state: HpaState } {
  const desired = proposedReplicas(metric, rule.target, current);
  // recordInitialRecommendation()
  const before = state?.recommendations ?? [{ at: now, replicas: current }];
  const recommendations = [
    ...before.filter(({ at }) => at > now - rule.scaleDownSeconds),
    { at: now, replicas: desired },
  ];
  const changes = (state?.changes ?? []).filter(({ at }) => at > now - scaleUp.periodSeconds);
  const stabilized = Math.min(
    Math.max(current, desired),
    Math.max(...recommendations.map(({ replicas }) => replicas)),
  );
  const added = changes.reduce((sum, change) => sum + change.replicas, 0);
  const most = Math.min(rule.max, Math.max(current, scaleUpLimit(current - added)));
  const replicas = Math.max(rule.min, Math.min(most, stabilized));
  const change = replicas - current;
  return {
    replicas,
    state: {
      recommendations,
      changes: change === 0 ? changes : [...changes, { at: now, replicas: change }],
    },
  };
}

/** `GetExternalPerPodMetricReplicas()` and `isWithin()` */
export function proposedReplicas(metric: number, target: number, current: number): number {
  const ratio = metric / (target * current);
  const isWithin = 1 - tolerance <= ratio && ratio <= 1 + tolerance;
  return isWithin ? current : Math.ceil(metric / target);
}

/**
 * `calculateScaleUpLimitWithScalingRules()`. Scale-down has no such limit: its default policy removes 100 % per period.
 *
 * @param replicas at the start of the period
 */
const scaleUpLimit = (replicas: number): number =>
  Math.max(replicas + scaleUp.pods, Math.ceil(replicas * (1 + scaleUp.percent / 100)));
