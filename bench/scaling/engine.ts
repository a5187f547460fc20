import type { SimulationOptions } from "../../testing/model-server/simulation.ts";

/** A simulated engine, and the requests that it serves. */
export interface Engine {
  readonly options: SimulationOptions & { readonly maxSequences: number };
  /** Requests per second that it completes with a full batch. */
  readonly requestsPerSecond: number;
}

/** Tokens of a response on average: 20 s with a full batch. */
export const responseTokens = 80;

/** Time of a step with a full batch and without prompts, in ms. */
const fullStepMs = 250;

/** More than the blocks of the longest prompt and response, so that the KV cache never limits a batch. */
const blocksPerSequence = 64;

/**
 * Returns an engine with steps of a quarter of a second, which is about eight steps of a real one. Fewer steps let the
 * bench simulate a whole day at full length.
 *
 * @param maxSequences the picker must learn this number; it assumes 8 slots
 */
export const engineOf = (maxSequences = 12): Engine => ({
  options: {
    maxSequences,
    stepMs: 0.8 * fullStepMs,
    stepMsPerSequence: (0.2 * fullStepMs) / maxSequences,
    prefillTokensPerSecond: 8_000,
    cacheBlocks: blocksPerSequence * maxSequences,
  },
  requestsPerSecond: maxSequences / ((responseTokens * fullStepMs) / 1_000),
});

/** A usual objective for the first token, and a time per token that a full batch with a prompt in each step meets. */
export const objectives = { firstTokenMs: 2_000, perTokenMs: 300 };
