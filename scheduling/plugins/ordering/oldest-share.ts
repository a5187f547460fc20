import { share } from "../parameter-types.ts";

/**
 * Half of the dispatches take the oldest request, so that a request waits at most twice as long as in order of arrival,
 * whatever deadlines later requests set. Deadlines order the other half. `npm run bench queues` shows other shares.
 */
export const oldestShare = share
  .default(0.5)
  .describe(
    "Share of dispatches that take the oldest request, whatever its deadline. A request waits at most 1 / `oldestShare` times as long as in order of arrival. 0: deadlines only.",
  );
