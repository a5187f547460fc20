/** Ports of the programs in the runtime image. They are those of the upstream endpoint picker. */
export const runtimePorts = { extProc: 9002, health: 9003, metrics: 9090 } as const;
