import { simulationDefaults } from "../../testing/model-server/simulation.ts";
import type { Run } from "./simulate.ts";
import type { PodChange, Trace } from "./trace.ts";

/**
 * Results of a run. Times are milliseconds. A lost request has no first token, and so counts as later than any other:
 * otherwise a router that loses more requests would have fewer to answer and a better percentile.
 */
export interface Figures {
  /** The mean of the requests that were answered. */
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Between two tokens of an answer. */
  readonly interToken: number;
  /** Percent of the requests that were answered in good time. */
  readonly goodput: number;
  readonly failed: number;
  /** Requests of the pod that got most, to the mean. */
  readonly spread: number;
  /** Requests that waited at an engine: the 99th percentile over pods and time. */
  readonly queue: number;
  /** The same queue only in the measured time, without the beginning, when caches are empty. */
  readonly laterQueue: number;
  /** Percent of the prompt tokens that were cached. */
  readonly hits: number;
  /** Percent of its fair share that a pod got in its first five seconds; NaN if none joins. */
  readonly joined: number;
  /** Milliseconds until the router answered, its queues included; NaN in virtual time. */
  readonly pickP50: number;
  readonly pickP99: number;
}

/** Milliseconds to the first token that everybody forgives, besides twice what an idle engine takes. */
const forgiven = 200;

/** Milliseconds between tokens: as fast as people read. */
const readingPace = 50;

export function figuresOf(trace: Trace, { outcomes, waiting, picks = [] }: Run): Figures {
  const counted = outcomes.filter(({ request }) => request.at >= trace.measureFrom);
  const answered = counted.filter(({ failed }) => !failed);
  const first = answered.map(({ firstAt, request }) => firstAt - request.at).sort(ascending);
  const between = answered.filter(({ tokens }) => tokens > 1).map(msBetweenTokens);
  const good = answered.filter((outcome) => {
    const { request, firstAt, tokens, promptTokens } = outcome;
    const pace = tokens > 1 ? msBetweenTokens(outcome) : 0;
    const idle = idleTime(trace, promptTokens);
    return firstAt - request.at <= forgiven + 2 * idle && pace <= readingPace;
  });
  const all = [...first, ...lost(counted.length - answered.length)];
  const byPod = new Map<number, number>();
  for (const { pod } of counted) if (pod !== undefined) byPod.set(pod, (byPod.get(pod) ?? 0) + 1);
  const joined = (trace.changes ?? []).flatMap((change) =>
    change.change === "joins" ? shareOfJoined(trace, outcomes, change) : [],
  );
  const sortedPicks = picks.toSorted(ascending);
  const serving = trace.pods - (trace.prefillers?.length ?? 0);
  return {
    mean: sum(first) / first.length,
    p50: quantile(all, 0.5),
    p95: quantile(all, 0.95),
    p99: quantile(all, 0.99),
    interToken: sum(between) / between.length,
    goodput: (100 * good.length) / counted.length,
    failed: counted.length - answered.length,
    spread: Math.max(...byPod.values()) / (counted.length / serving),
    queue: queueOf(waiting),
    laterQueue: queueOf(waiting.filter(({ at }) => at >= trace.measureFrom)),
    hits:
      (100 * sum(answered.map(({ cachedTokens }) => cachedTokens))) /
      sum(answered.map(({ promptTokens }) => promptTokens)),
    joined: sum(joined) / joined.length,
    pickP50: quantile(sortedPicks, 0.5),
    pickP99: quantile(sortedPicks, 0.99),
  };
}

/** Milliseconds between two tokens of an answer that has more than one. */
export const msBetweenTokens = ({
  firstAt,
  endAt,
  tokens,
}: Pick<Run["outcomes"][number], "firstAt" | "endAt" | "tokens">): number =>
  (endAt - firstAt) / (tokens - 1);

const queueOf = (waiting: Run["waiting"]): number =>
  quantile(waiting.map(({ requests }) => requests).sort(ascending), 0.99);

const lost = (requests: number) => Array<number>(requests).fill(Number.POSITIVE_INFINITY);

/** Time in which a joined pod must reach its share, in milliseconds. */
const settling = 5_000;

function shareOfJoined(
  { pods, changes = [] }: Trace,
  outcomes: Run["outcomes"],
  { at, pod }: PodChange,
): number {
  const meant = outcomes.filter(({ request }) => request.at >= at && request.at < at + settling);
  const dead = changes.filter((each) => each.change === "dies" && each.at <= at).length;
  const own = meant.filter((outcome) => outcome.pod === pod).length;
  return (100 * own * (pods - dead)) / meant.length;
}

/** Milliseconds to the first token on an engine that has nothing else to do and nothing cached. */
function idleTime({ engine }: Trace, promptTokens: number): number {
  const { maxBatchedTokens, stepMs, prefillTokensPerSecond } = { ...simulationDefaults, ...engine };
  const steps = Math.ceil(promptTokens / maxBatchedTokens);
  return steps * stepMs + (1_000 * promptTokens) / prefillTokensPerSecond;
}

/** The median of several runs, for each figure. */
export function medianFigures(runs: readonly Figures[]): Figures {
  const keys = Object.keys(runs[0] ?? {}) as Array<keyof Figures>;
  return Object.fromEntries(
    keys.map((key) => [key, quantile(runs.map((run) => run[key]).sort(ascending), 0.5)]),
  ) as unknown as Figures;
}

const ascending = (a: number, b: number) => a - b;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The quantile of sorted values, by nearest rank. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
