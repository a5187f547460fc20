/**
 * Probability with which a number of errors occurs by chance at the permitted share. The gate is judged every 2 s. With
 * 100 checks, 0.01 stops 5 of 100 rollouts that have exactly the permitted share of errors, and 0.001 fewer than one.
 */
const chance = 0.001;

/** Whether a number of events is higher than chance explains if `expected` are expected. */
export const exceedsChance = (count: number, expected: number, probability = chance): boolean =>
  count > 0 && atLeast(count, expected) < probability;

/**
 * Returns the probability of at least `count` events if `expected` are expected (Poisson). It adds the terms from
 * `count` on, the first one by its logarithm: `exp(-expected)` is 0 beyond 745.
 */
function atLeast(count: number, expected: number): number {
  if (count <= expected) return 1;
  let logarithm = -expected;
  for (let at = 1; at <= count; at += 1) logarithm += Math.log(expected / at);
  let term = Math.exp(logarithm);
  let sum = 0;
  for (let at = count; term > sum * 1e-12; at += 1) {
    sum += term;
    term *= expected / (at + 1);
  }
  return sum;
}
