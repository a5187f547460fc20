import { type EngineCard, promptMs, stepMs } from "../cards/engine-card.ts";

/** Work of one step of an engine. */
export interface StepWork {
  /** Number of sequences that generate a token. */
  readonly decoding: number;
  /** Tokens whose keys and values these sequences have, in all. */
  readonly contextTokens: number;
  /** Parts of prompts that the step computes: the tokens of each prompt before the step, and after it. */
  readonly prompts: ReadonlyArray<readonly [from: number, to: number]>;
}

/** Returns the time of a step, in ms. */
export type StepTimes = (work: StepWork) => number;

/** Times of a step that do not depend on the context. */
export interface ConstantTimes {
  /** Time of each step, in ms. */
  readonly stepMs: number;
  /** Further time for each sequence, in ms. */
  readonly stepMsPerSequence: number;
  readonly prefillTokensPerSecond: number;
}

export const constantTimes =
  ({ stepMs, stepMsPerSequence, prefillTokensPerSecond }: ConstantTimes): StepTimes =>
  ({ decoding, prompts }) => {
    const tokens = prompts.reduce((sum, [from, to]) => sum + to - from, 0);
    const sequences = decoding + prompts.length;
    return stepMs + sequences * stepMsPerSequence + (1_000 * tokens) / prefillTokensPerSecond;
  };

/**
 * Times of a card. A step with prompts takes the time of its decoding sequences, and the time by which each part makes
 * its prompt longer. The time to load the weights counts once: the first point of a prompt's curve.
 */
export const cardTimes = (card: EngineCard): StepTimes => {
  const least = promptMs(card, 1);
  const at = (tokens: number) => Math.max(least, promptMs(card, tokens));
  return ({ decoding, contextTokens, prompts }) => {
    const decode = decoding === 0 ? least : stepMs(card, decoding, contextTokens / decoding);
    return prompts.reduce((sum, [from, to]) => sum + at(to) - at(from), decode);
  };
};
