/** Times of an engine pod's termination, in seconds. */
export const engineDrain = {
  /** Between the deletion of a pod and SIGTERM. Within it, pickers and gateways stop sending requests. */
  notice: 5,
  /** Time for running responses, unless a role sets drainSeconds. The picker's pod waits for the same time. */
  answers: 600,
  /** Time in which the engine's processes end after the last response. SGLang checks every 5 s whether it has ended. */
  ending: 30,
} as const;

/** Returns the grace period of a pod, in seconds, whose responses may take `answers` seconds after its deletion. */
export const engineGraceSeconds = (answers: number): number =>
  engineDrain.notice + answers + engineDrain.ending;

/** Returns the seconds that a grace period leaves for running responses. */
export const answerSecondsOf = (grace: number): number =>
  Math.max(0, grace - engineDrain.notice - engineDrain.ending);
