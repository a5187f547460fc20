/** Header by which a decoder's sidecar learns who prefills. */
export const prefillerHeader = "x-prefiller-host-port";

/** Header by which a sidecar says whose KV cache its engine fetched: the prefiller's address. */
export const prefilledByHeader = "x-prefilled-by";

/** Header by which a sidecar says that the prefiller it was told failed: `ADDRESS REASON`. */
export const prefillFailedHeader = "x-prefill-failed";

/** Header by which a sidecar on a pod's primary port learns which of the pod's ranks serves. */
export const dataParallelHeader = "x-data-parallel-host-port";

/**
 * Headers that a model server's sidecar connects by, so that none comes from a client: a request goes on with those that
 * the picker sets. Encoders and the source of a KV cache are never set here.
 */
export const routingHeaders: readonly string[] = [
  prefillerHeader,
  dataParallelHeader,
  "x-encoder-hosts-ports",
  "x-kv-cache-source-host-port",
];
