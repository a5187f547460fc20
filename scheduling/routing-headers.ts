/** Header by which a decoder's sidecar learns who prefills. */
export const prefillerHeader = "x-prefiller-host-port";

/** Header by which a decoder's sidecar learns who encodes pictures and sounds: addresses by commas. */
export const encoderHeader = "x-encoder-hosts-ports";

/**
 * Header by which a sidecar says whose KV cache its engine was told to fetch: the prefiller's address. An engine that
 * could not fetch it and computes the prompt itself says so in no answer.
 */
export const prefilledByHeader = "x-prefilled-by";

/** Header by which a sidecar says that the prefiller it was told failed: `ADDRESS REASON`. */
export const prefillFailedHeader = "x-prefill-failed";

/** Header by which a sidecar on a pod's primary port learns which of the pod's ranks serves. */
export const dataParallelHeader = "x-data-parallel-host-port";

/**
 * Headers that a model server's sidecar connects by, so that none comes from a client: a request goes on with those that
 * the picker sets. The source of a KV cache is never set here.
 */
export const routingHeaders: readonly string[] = [
  prefillerHeader,
  dataParallelHeader,
  encoderHeader,
  "x-kv-cache-source-host-port",
];
