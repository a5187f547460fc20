import type { Random } from "./random.ts";
import type { Arrival } from "./trace.ts";

/** Milliseconds. */
export const seconds = 1_000;

export interface Load {
  readonly requestsPerSecond: number;
  readonly until: number;
}

/** Arrivals that do not know of each other. */
export function arrivals(
  random: Random,
  { requestsPerSecond, until }: Load,
  make: () => Omit<Arrival, "at">,
): Arrival[] {
  const made: Arrival[] = [];
  for (let at = 0; ; ) {
    at += random.exponential(seconds / requestsPerSecond);
    if (at >= until) return made;
    made.push({ at, ...make() });
  }
}

export type Range = readonly [least: number, most: number];

export interface Talk {
  /** First text of a conversation, by the number of conversations before it. */
  readonly begins: (conversation: number) => string | undefined;
  readonly startsPerSecond: number;
  readonly until: number;
  readonly turns: Range;
  /** Tokens of the question in a turn, and of the answer. */
  readonly asked: Range;
  readonly answered: Range;
  /** Milliseconds between two turns, and how many more there are on average. */
  readonly pause: readonly [least: number, more: number];
}

/** Conversations, each turn with all that was said before. */
export function conversations(random: Random, talk: Talk): Arrival[] {
  const { begins, startsPerSecond, until, turns, asked, answered } = talk;
  const [least, more] = talk.pause;
  const requests: Arrival[] = [];
  const nextStart = () => random.exponential(seconds / startsPerSecond);
  for (let start = 0, count = 0; start < until; start += nextStart(), count += 1) {
    let said = begins(count) ?? "";
    let at = start;
    for (let turn = random.between(...turns); turn > 0; turn -= 1) {
      const prompt = said + random.text(random.between(...asked));
      const outputTokens = random.between(...answered);
      const answer = random.text(outputTokens);
      requests.push({ at, prompt, answer, outputTokens });
      said = prompt + answer;
      at += least + random.exponential(more);
    }
  }
  return requests.sort((a, b) => a.at - b.at);
}

/**
 * Returns the first request of a closed loop, with the ones that follow each other's answers. Its time is not set yet.
 *
 * @param afterMs returns the time between the answer before a turn and its request
 */
export const closedLoop = <Turn>(
  turns: readonly Turn[],
  requestOf: (turn: Turn) => Omit<Arrival, "at" | "next">,
  afterMs: (turn: Turn) => number,
): Arrival =>
  turns.reduceRight<Arrival | undefined>((arrival, turn, at) => {
    const next = arrival && { afterMs: afterMs(turns[at + 1] as Turn), arrival };
    return { at: Number.NaN, ...requestOf(turn), ...(next && { next }) };
  }, undefined) as Arrival;
