/** A model that servers are asked for, and its share of the requests. */
export interface WeightedTarget {
  readonly model: string;
  /** Undefined where the object gives no weights. */
  readonly weight: number | undefined;
}

/**
 * The targets that a request can get. Without any weight all are alike; with some, a target without one or with 0 is
 * never drawn.
 */
export function eligibleTargets(targets: readonly WeightedTarget[]): readonly WeightedTarget[] {
  const weighted = targets.some(({ weight }) => weight !== undefined);
  return weighted ? targets.filter(({ weight = 0 }) => weight > 0) : targets;
}

/**
 * A target by weight.
 *
 * @param targets eligible ones, at least one
 * @param chance in [0, 1)
 */
export function drawTarget(targets: readonly WeightedTarget[], chance: number): string {
  let total = 0;
  for (const { weight = 1 } of targets) total += weight;
  let rest = chance * total;
  for (const { model, weight = 1 } of targets) {
    rest -= weight;
    if (rest < 0) return model;
  }
  return (targets.at(-1) as WeightedTarget).model;
}
