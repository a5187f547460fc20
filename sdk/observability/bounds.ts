/**
 * Bounds of the histograms that objectives refer to, in seconds. They equal the bounds of the upstream picker
 * (llm-d-router, pkg/epp/metrics).
 */

export const firstTokenSeconds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60, 120,
] as const;

export const streamedSecondsPerToken = [
  0.0005, 0.00205, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6,
  0.8, 1, 2,
] as const;

export const queueSeconds = [
  0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;

export const requestProcessingSeconds = [
  0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.025, 0.04, 0.06, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;
