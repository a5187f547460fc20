/**
 * Times of an endpoint picker's termination, in seconds: the defaults of its flags, and the parts of its pod's grace period.
 */
export const pickerDrain = {
  /** In which requests are still taken after SIGTERM, while gateways learn to go elsewhere. */
  window: 30,
  /** For which answers that then still run may go on, where nothing else is asked for. */
  answers: 600,
  /** For leaving: connections, leases, the process. */
  leaving: 10,
} as const;

/** Returns the grace period of a picker's pod, in seconds. A pod without running responses ends when the window is over. */
export const pickerGraceSeconds = (answers: number = pickerDrain.answers): number =>
  pickerDrain.window + answers + pickerDrain.leaving;
