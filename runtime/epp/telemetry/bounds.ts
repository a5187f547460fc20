import { firstTokenSeconds } from "../../../sdk/observability/bounds.ts";

/**
 * Bounds of the histograms that no objective refers to, equal to the bounds of the upstream picker (llm-d-router,
 * pkg/epp/metrics).
 */

const powersOfTwo = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => 2 ** (from + at));

/** The upstream list has 32778, a typo for 32768. It is kept because queries name the bounds. */
const upToTokens = (largest: number): readonly number[] => [
  1,
  ...powersOfTwo(3, largest).map((bound) => (bound === 32_768 ? 32_778 : bound)),
];

export const requestSeconds: readonly number[] = [
  ...firstTokenSeconds,
  180,
  240,
  300,
  360,
  480,
  600,
  900,
  1200,
  1800,
  2700,
  3600,
];
export const secondsPerToken: readonly number[] = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
];
export const secondsBetweenChunks: readonly number[] = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2,
];
export const prefixHitRatio: readonly number[] = [
  0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
];
export const prefixHitBytes: readonly number[] = [0, ...powersOfTwo(4, 16)];
export const requestBytes: readonly number[] = powersOfTwo(6, 30);
export const responseBytes: readonly number[] = upToTokens(16);
export const inputTokens: readonly number[] = upToTokens(20);
export const outputTokens: readonly number[] = upToTokens(13);
export const schedulingSeconds: readonly number[] = [
  0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
];
export const responseProcessingSeconds: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];
export const streamSeconds: readonly number[] = [
  0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600,
];
