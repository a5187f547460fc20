/** How an endpoint picker ends: what its flags default to, and what its pod's grace is made of. In seconds. */
export const pickerDrain = {
  /** In which requests are still taken after SIGTERM, while gateways learn to go elsewhere. */
  window: 30,
  /** For which answers that then still run may go on, where nothing else is asked for. */
  answers: 600,
  /** For leaving: connections, leases, the process. */
  leaving: 10,
} as const;

/** Grace of a picker's pod: a pod without running answers ends when the window is over. */
export const pickerGraceSeconds = (answers: number = pickerDrain.answers): number =>
  pickerDrain.window + answers + pickerDrain.leaving;
