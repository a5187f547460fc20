/** Ports of the programs in the runtime image. They are those of the upstream endpoint picker. */
export const runtimePorts = { extProc: 9002, health: 9003, metrics: 9090 } as const;

/** Port on which the webhook for pod plugins serves; the Service has it under 443. */
export const podPluginWebhookPort = 9443;

/**
 * Ports of the decode sidecar: those of llm-d-router's for requests and for the engine behind it, and others than those
 * of engines, with which it shares its pod.
 */
export const sidecarPorts = {
  serving: 8000,
  modelServer: 8200,
  health: 9013,
  metrics: 9093,
} as const;
