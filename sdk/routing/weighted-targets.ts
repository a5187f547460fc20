/** A model name for the model servers, and its share of the requests. */
export interface WeightedTarget {
  readonly model: string;
  /** Undefined if the object sets no weights. */
  readonly weight: number | undefined;
}

/**
 * Returns the targets that can be drawn. If no target has a weight, all are equal. Otherwise, targets without a weight
 * or with weight 0 are never drawn.
 */
export function eligibleTargets(targets: readonly WeightedTarget[]): readonly WeightedTarget[] {
  const weighted = targets.some(({ weight }) => weight !== undefined);
  return weighted ? targets.filter(({ weight = 0 }) => weight > 0) : targets;
}

/**
 * Draws a target by weight.
 *
 * @param targets eligible targets, at least one
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
