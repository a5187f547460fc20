/**
 * Times of an endpoint picker's termination, in seconds: the defaults of its flags, and the parts of its pod's grace
 * period.
 */
export const pickerDrain = {
  /** During which requests are still accepted after SIGTERM, while gateways stop sending them. */
  window: 30,
  /** For responses that are running after the window, unless a drain time is set. */
  answers: 600,
  /** For closing connections, releasing leases and ending the process. */
  leaving: 10,
} as const;

/**
 * Returns the grace period of a picker's pod, in seconds. A pod without running responses ends when the window is over.
 */
export const pickerGraceSeconds = (answers: number = pickerDrain.answers): number =>
  pickerDrain.window + answers + pickerDrain.leaving;
