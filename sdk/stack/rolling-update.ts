/** How many replicas a rolling update adds, and how many it stops before new ones are ready. */
export interface RollingUpdate {
  /** Replicas that run in addition, at most. */
  readonly added: number;
  /** Replicas that are away at the same time, at most. */
  readonly away: number;
}

export type NumberOrShare = number | string;

interface Limits {
  readonly maxUnavailable?: NumberOrShare | undefined;
  readonly maxSurge?: NumberOrShare | undefined;
}

/**
 * Returns the update of a Deployment with the defaults of apps/v1: 25 % may be away, rounded down, and 25 % may be added,
 * rounded up. Undefined for Recreate.
 */
export function updateOfDeployment(spec: unknown, replicas: number): RollingUpdate | undefined {
  const { strategy = {} } = (spec ?? {}) as { strategy?: DeploymentStrategy };
  if (strategy.type === "Recreate") return undefined;
  const { maxUnavailable = "25%", maxSurge = "25%" } = strategy.rollingUpdate ?? {};
  const update = updateOf({ maxUnavailable, maxSurge }, replicas);
  // The controller replaces at least one pod at a time: it takes one away if it may add none.
  return update.away === 0 && update.added === 0 ? { added: 0, away: 1 } : update;
}

/** Returns the update of a LeaderWorkerSet, with the defaults of its webhook: one group may be away, none is added. */
export function updateOfSet(spec: unknown, replicas: number): RollingUpdate {
  const { rolloutStrategy = {} } = (spec ?? {}) as { rolloutStrategy?: SetStrategy };
  const { maxUnavailable = 1, maxSurge = 0 } = rolloutStrategy.rollingUpdateConfiguration ?? {};
  return updateOf({ maxUnavailable, maxSurge }, replicas);
}

const updateOf = (
  { maxUnavailable = 0, maxSurge = 0 }: Limits,
  replicas: number,
): RollingUpdate => ({
  added: Math.ceil(shareOf(maxSurge, replicas)),
  away: Math.min(replicas, Math.floor(shareOf(maxUnavailable, replicas))),
});

interface DeploymentStrategy {
  readonly type?: string;
  readonly rollingUpdate?: Limits;
}

interface SetStrategy {
  readonly rollingUpdateConfiguration?: Limits;
}

/** Returns a number of replicas: the value itself, or a percentage of the replicas. */
export const shareOf = (value: NumberOrShare, replicas: number): number =>
  typeof value === "number" ? value : (Number.parseFloat(value) * replicas) / 100;
