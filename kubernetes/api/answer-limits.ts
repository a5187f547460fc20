/** Limits on an API server's responses. A response that exceeds them is discarded and requested again later. */
export interface AnswerLimits {
  /** Maximum size of a response, including a page of a list, in bytes. */
  readonly answerBytes: number;
  /** Maximum size of one event of a watch, in bytes. */
  readonly eventBytes: number;
  /** Maximum number of objects in a list and in the local copy. */
  readonly objects: number;
  /** Maximum number of pages of a list. */
  readonly pages: number;
  /** Time limit for all pages of a list, in ms. */
  readonly listMs: number;
  /** Requested number of objects per page. */
  readonly pageSize: number;
}

/** Limits for the cluster in which a program runs, which has the same administrators as the program. */
export const ownLimits: AnswerLimits = {
  answerBytes: 512 * 2 ** 20,
  eventBytes: 32 * 2 ** 20,
  objects: 1_000_000,
  pages: 10_000,
  listMs: 600_000,
  pageSize: 500,
};

/** Size in bytes from which parsing an event takes longer than requests should wait. */
export const largeEventBytes = 32 * 2 ** 10;

/** Longest wait that an API server can request, in ms; above 2^31 - 1 a timer would fire immediately. */
export const longestRetryAfterMs = 300_000;

/** Maximum length of the reason for a refusal, in characters. */
export const longestRefusal = 1_000;
