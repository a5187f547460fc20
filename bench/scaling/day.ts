import type { FlowArrival } from "../routing/queueing-picker.ts";
import { Random } from "../routing/random.ts";
import { type Engine, responseTokens } from "./engine.ts";

/** Requests of a day, from a seed: two peaks, bursts, and a night of single requests. */
export interface Day {
  readonly arrivals: readonly FlowArrival[];
  /** Mean number of replicas that the requests keep busy. */
  readonly meanReplicas: number;
}

export interface Hours {
  readonly from: number;
  readonly until: number;
}

/** Peaks: hour, width (standard deviation) in hours, and replicas that the requests keep busy. */
const peaks = [
  { hour: 10.5, width: 1.8, replicas: 5.4 },
  { hour: 19.5, width: 1.6, replicas: 4.6 },
] as const;

/** One request in 25 minutes at night: rare enough that a service can be at zero between two of them. */
const nightPerSecond = 1 / 1_500;

/** Bursts of clients that start together, such as a batch job. With a burst, the peak uses 88 % of 8 replicas. */
const burst = { perDay: 16, replicas: 1.6, seconds: [60, 600], hours: [7, 23] } as const;

/** Tokens of a prompt and of a response, on average and at most. */
const sizes = { prompt: [100, 400], response: [responseTokens, 3 * responseTokens] } as const;

export function dayOf(seed: number, { from, until }: Hours, { requestsPerSecond }: Engine): Day {
  const random = new Random(seed);
  const bursts = Array.from({ length: burst.perDay }, () => {
    const at = burst.hours[0] + random.next() * (burst.hours[1] - burst.hours[0]);
    return { at, until: at + random.between(...burst.seconds) / 3_600 };
  });
  const busy = (hour: number) =>
    nightPerSecond / requestsPerSecond +
    peaks.reduce((sum, { hour: top, width, replicas }) => {
      return sum + replicas * Math.exp(-(((hour - top) / width) ** 2) / 2);
    }, 0) +
    bursts.filter(({ at, until }) => at <= hour && hour < until).length * burst.replicas;
  // Bursts that overlap at a peak need no more replicas than one burst.
  const most = peaks[0].replicas + burst.replicas;
  const size = ([mean, largest]: readonly [number, number]) =>
    Math.min(largest, Math.max(1, Math.round(random.exponential(mean))));
  const arrivals: FlowArrival[] = [];
  const end = (until - from) * hourMs;
  for (let at = 0; ; ) {
    at += random.exponential(1_000 / (most * requestsPerSecond));
    if (at >= end) break;
    if (random.next() * most >= busy(from + at / hourMs)) continue;
    const request = { prompt: random.text(size(sizes.prompt)), outputTokens: size(sizes.response) };
    arrivals.push({ at, flow: { id: "all", priority: 0 }, ...request });
  }
  const meanReplicas = arrivals.length / (end / 1_000) / requestsPerSecond;
  return { arrivals, meanReplicas };
}

export const hourMs = 3_600_000;
