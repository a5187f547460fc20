/** Header with the prefiller's address, for the decoder's sidecar. */
export const prefillerHeader = "x-prefiller-host-port";

/** Header with the addresses of encoders, separated by commas, for the decoder's sidecar. */
export const encoderHeader = "x-encoder-hosts-ports";

/**
 * Response header with the address of the prefiller whose KV cache the sidecar instructed its engine to fetch. If the
 * engine cannot fetch it and computes the prompt itself, no header shows this.
 */
export const prefilledByHeader = "x-prefilled-by";

/** Response header in which a sidecar reports that the prefiller failed: `ADDRESS REASON`. */
export const prefillFailedHeader = "x-prefill-failed";

/** Header with the address of the selected rank, for a sidecar on the pod's primary port. */
export const dataParallelHeader = "x-data-parallel-host-port";

/**
 * Headers that determine the connections of a model server's sidecar. The picker removes them from a client's request
 * and sets its own. It never sets the source of a KV cache.
 */
export const routingHeaders: readonly string[] = [
  prefillerHeader,
  dataParallelHeader,
  encoderHeader,
  "x-kv-cache-source-host-port",
];
