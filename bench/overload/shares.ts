import type { FlowLoad } from "./load.ts";

/** Flows that share a pool by weights, and how far from these the tokens are that they were served. */

const weights = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2];
const flows = weights.map((_, at) => `flow-${at}`);

/** Fairness settings of an LLMServerPool with these weights. */
export const fairness = {
  ...({ policy: "weighted", order: "objectives-first" } as const),
  weights: Object.fromEntries(flows.map((flow, at) => [flow, weights[at] as number])),
};

/** Splits `perSecond` requests per second among the flows by their weights. */
export const loadsOf = (perSecond: number): FlowLoad[] =>
  weights.map((weight, at) => ({
    ...{ id: flows[at] as string, priority: 0 },
    perSecond: (perSecond * weight) / sum(weights),
  }));

export const quantile = (numbers: readonly number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(share * numbers.length) - 1] ?? Number.NaN;

export const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Milliseconds of a window in which shares are looked at. */
const windowMs = 10_000;

/**
 * Returns the largest deviation of a flow's share of served tokens from its weight, over all windows between two times,
 * in percent of its share.
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
