/** Flows that share a pool by weights, and how far from these the tokens are that they were served. */

export const weights = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2];
export const flows = weights.map((_, at) => `flow-${at}`);

export const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Milliseconds of a window in which shares are looked at. */
const windowMs = 10_000;

/**
 * The share of served tokens that is farthest from a flow's weight, of all windows from a time to another, in percent of its
 * share.
 */
export function farthestShare(
  tokens: ReadonlyArray<{ readonly at: number; readonly flow: string; readonly count: number }>,
  from: number,
  until: number,
): number {
  let most = 0;
  for (let start = from; start + windowMs <= until; start += windowMs) {
    const served = new Map(flows.map((flow) => [flow, 0]));
    for (const { at, flow, count } of tokens) {
      const before = served.get(flow);
      if (before !== undefined && at >= start && at < start + windowMs)
        served.set(flow, before + count);
    }
    const total = sum([...served.values()]);
    weights.forEach((weight, at) => {
      const share = (served.get(flows[at] as string) as number) / total;
      most = Math.max(most, Math.abs(share / (weight / sum(weights)) - 1));
    });
  }
  return 100 * most;
}
