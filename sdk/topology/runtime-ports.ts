/** Ports of the endpoint picker, those of the upstream picker. */
export const runtimePorts = { extProc: 9002, health: 9003, metrics: 9090 } as const;
