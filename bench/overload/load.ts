import type { FlowArrival } from "../routing/queueing-picker.ts";
import { Random } from "../routing/random.ts";

/** Requests of some flows at a time, made of a seed. */

export interface FlowLoad {
  readonly id: string;
  readonly priority: number;
  /** Requests a second, which come independently of each other. */
  readonly perSecond: number;
}

export interface Sizes {
  /** Tokens of a prompt and of an answer, on average and at most: many are short, and some are long. */
  readonly prompt: readonly [mean: number, most: number];
  readonly answer: readonly [mean: number, most: number];
}

/** Returns the requests of flows in the order in which they come, up to a time in milliseconds. */
export function arrivalsOf(
  flows: readonly FlowLoad[],
  { prompt, answer }: Sizes,
  until: number,
  seed: number,
): FlowArrival[] {
  const arrivals = flows.flatMap(({ id, priority, perSecond }, at) => {
    const random = new Random(1_000 * seed + at);
    const size = ([mean, most]: readonly [number, number]) =>
      Math.min(most, Math.max(1, Math.round(random.exponential(mean))));
    const found: FlowArrival[] = [];
    for (let now = 0; ; ) {
      now += random.exponential(1_000 / perSecond);
      if (now >= until) return found;
      const request = { prompt: random.text(size(prompt)), outputTokens: size(answer) };
      found.push({ at: now, flow: { id, priority }, ...request });
    }
  });
  return arrivals.sort((a, b) => a.at - b.at);
}
