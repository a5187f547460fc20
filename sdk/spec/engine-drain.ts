/** How the pod of an engine ends, in seconds. */
export const engineDrain = {
  /** Between the deletion of a pod and SIGTERM. Pickers and gateways stop sending requests within it. */
  notice: 5,
  /** For running answers, unless a role sets drainSeconds. The picker's own pod waits as long. */
  answers: 600,
  /** For the engine's processes to end after the last answer. SGLang looks for it every 5 s. */
  ending: 30,
} as const;

/** Grace period of a pod whose answers may run for this many seconds after it is deleted. */
export const engineGraceSeconds = (answers: number): number =>
  engineDrain.notice + answers + engineDrain.ending;

/** The seconds that a grace period leaves for running answers. */
export const answerSecondsOf = (grace: number): number =>
  Math.max(0, grace - engineDrain.notice - engineDrain.ending);
