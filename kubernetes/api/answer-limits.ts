/** What is taken of an API server's answers. One that says more is not believed, and asked again later. */
export interface AnswerLimits {
  /** Bytes of an answer, a page of a list among them. */
  readonly answerBytes: number;
  /** Bytes of one event of a watch. */
  readonly eventBytes: number;
  /** Objects of a list, and of what is kept of it. */
  readonly objects: number;
  /** Pages of a list. */
  readonly pages: number;
  /** Milliseconds that all pages of a list may take. */
  readonly listMs: number;
  /** Objects of a page that are asked for. */
  readonly pageSize: number;
}

/** Limits for the cluster that a program runs in, whose administrators are its own. */
export const ownLimits: AnswerLimits = {
  answerBytes: 512 * 2 ** 20,
  eventBytes: 32 * 2 ** 20,
  objects: 1_000_000,
  pages: 10_000,
  listMs: 600_000,
  pageSize: 500,
};

/** Events from this size, in bytes, take longer to parse than requests should wait for. */
export const largeEventBytes = 32 * 2 ** 10;

/** Longest wait that an API server can ask for, in milliseconds; beyond 2^31 - 1 a timer ends at once. */
export const longestRetryAfterMs = 300_000;

/** Most characters of what an API server says of a refusal. */
export const longestRefusal = 1_000;
