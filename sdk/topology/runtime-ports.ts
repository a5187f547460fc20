/** Ports of the programs in the runtime image. They equal the ports of the upstream endpoint picker. */
export const runtimePorts = { extProc: 9002, health: 9003, metrics: 9090 } as const;

/** Port on which the webhook for pod plugins serves; its Service maps 443 to it. */
export const podPluginWebhookPort = 9443;

/**
 * Ports of the decode sidecar. The ports for requests and for the engine behind it are the same as in llm-d-router; the
 * others differ from the engines' ports, because sidecar and engine share a pod.
 */
export const sidecarPorts = {
  serving: 8000,
  modelServer: 8200,
  health: 9013,
  metrics: 9093,
} as const;
