/**
 * One port of one ready pod of the pool. A request is sent to an endpoint.
 *
 * An endpoint is a value: a changed label or address makes a new one. Measurements are in `live`, which remains the
 * same object while the pod (by uid) and the rank remain.
 */
export interface Endpoint {
  /** `namespace/pod-rank-index`, unique in the pool. */
  readonly id: string;
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  /** Index in the pool's targetPorts. It does not change if `active-ports` excludes other ranks. */
  readonly rank: number;
  /** IP address, without brackets even for IPv6. */
  readonly ip: string;
  readonly port: number;
  /** `ip:port`, with an IPv6 address in brackets. The value of the endpoint header. */
  readonly address: string;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * Format of the KV blocks of a prefiller or a decoder. They can exchange blocks if it is equal. Undefined if it is
   * unknown.
   */
  readonly kvFormat?: string | undefined;
  readonly live: LiveState;
}

/** State that changes with every scrape and every request. Only the scraper and the in-flight requests write it. */
export interface LiveState {
  /** Last reading of the model server's metrics; undefined before the first reading. */
  metrics: ModelServerMetrics | undefined;
  /** True if the last scrape found no listener at the address. */
  isDown: boolean;
  /** Requests that were sent to the endpoint and have not ended. */
  runningRequests: number;
  /** The running requests whose responses the picker does not observe. */
  unobservedRequests: number;
  /** Requests sent to the endpoint since the picker started. */
  sentRequests: number;
  /** Estimated uncached prompt tokens of the running requests. */
  runningTokens: number;
  /** Prompts without a first response token as far as the picker knows, in the order in which they were sent. */
  readonly prompts: Set<SentPrompt>;
  /** Tokens of the oldest prompt in `prompts` that are already computed, estimated from the elapsed time. */
  computedTokens: number;
  /** Uncached tokens of the prompts with streamed responses, whose first token shows that the prompt is computed. */
  streamedTokens: number;
  /**
   * Estimated prompt tokens that other replicas of the picker sent and that are not computed, from the server's
   * metrics.
   */
  externalTokens: number;
  /** Uncached prompt tokens of all requests that this picker sent, except requests that ended without a response. */
  sentTokens: number;
  /** Requests whose first response token the picker observed. */
  firstTokens: number;
  /** Time per prompt token relative to other servers: 2 if prompts take twice as long. 1 if unknown. */
  slowness: number;
  /** Maximum number of concurrent requests; infinite until a request was seen to wait for a slot. */
  maxConcurrentRequests: number;
  /** Expected time until a slot becomes free, in ms; 0 if unknown. */
  msUntilSlot: number;
  /** Time between two tokens of a response, in ms; 0 if unknown. */
  msBetweenTokens: number;
  /** The picker's counters at the last reading of the metrics; undefined before the first reading. */
  reading: MetricsReading | undefined;
}

/** A prompt of a request whose response has not begun. */
export interface SentPrompt {
  /** Estimated tokens of the prompt that the server had not cached. */
  readonly promptTokens: number;
  /** Keys of the blocks, which show whether a later prompt has the same prefix; undefined if unknown. */
  keys?: readonly Float64Array[] | undefined;
}

/** The picker's counters when a model server's metrics were read. */
export interface MetricsReading {
  /** Requests sent before the server was polled. The server may not have counted later ones. */
  readonly sentBefore: number;
  /** Running requests of this picker at that time whose responses had not begun. */
  readonly prefillingBefore: number;
  /** Requests in excess of this picker's own that two consecutive readings found. */
  readonly external: number;
  /** Requests in excess of this picker's own in the last reading. */
  readonly externalNow: number;
  /**
   * Begun responses that the server reported, and the number the picker had observed when that value first appeared.
   */
  readonly began?: { readonly reported: number | undefined; readonly seen: number };
}

/** A reading of one model server's metrics, in the terms of the model server protocol for every engine. */
export interface ModelServerMetrics {
  /** Time of the reading on the picker's clock, in ms. */
  readonly at: number;
  readonly waitingRequests: number;
  readonly runningRequests: number;
  /** Whether the server reports its running and waiting requests. */
  readonly reportsRequests: boolean;
  /** Maximum number of concurrent requests; undefined if not reported. */
  readonly maxRunningRequests: number | undefined;
  /** Responses that have begun since the server started; undefined if not reported. */
  readonly firstTokens: number | undefined;
  /** Responses that have completed since the server started, without aborted ones; undefined if not reported. */
  readonly endedRequests: number | undefined;
  /** Tokens of all responses, if the counter rises with every step; undefined if not reported. */
  readonly generatedTokens: number | undefined;
  /** Share of the KV cache in use, 0 to 1. */
  readonly kvCacheUsage: number;
  /** Tokens per KV cache block; undefined if not reported. */
  readonly cacheBlockSize: number | undefined;
  /** Number of KV cache blocks; undefined if not reported. */
  readonly cacheBlocks: number | undefined;
  /** The served model; undefined if not reported. */
  readonly servedModel: string | undefined;
  /** Adapters that are loaded and serve requests. */
  readonly activeModels: ReadonlySet<string>;
  /** Adapters that queued requests wait for. */
  readonly waitingModels: ReadonlySet<string>;
  /** Maximum number of adapters that are loaded concurrently; 0 if not reported. */
  readonly maxActiveModels: number;
}

/** A reading of a server that reports nothing. */
export const unreportedMetrics: Omit<ModelServerMetrics, "at"> = {
  waitingRequests: 0,
  runningRequests: 0,
  reportsRequests: false,
  maxRunningRequests: undefined,
  firstTokens: undefined,
  endedRequests: undefined,
  generatedTokens: undefined,
  kvCacheUsage: 0,
  cacheBlockSize: undefined,
  cacheBlocks: undefined,
  servedModel: undefined,
  activeModels: new Set(),
  waitingModels: new Set(),
  maxActiveModels: 0,
};

export const newLiveState = (): LiveState => ({
  metrics: undefined,
  isDown: false,
  runningRequests: 0,
  unobservedRequests: 0,
  sentRequests: 0,
  runningTokens: 0,
  prompts: new Set(),
  computedTokens: 0,
  streamedTokens: 0,
  externalTokens: 0,
  sentTokens: 0,
  firstTokens: 0,
  slowness: 1,
  maxConcurrentRequests: Number.POSITIVE_INFINITY,
  msUntilSlot: 0,
  msBetweenTokens: 0,
  reading: undefined,
});

/** Returns `ip:port`, with an IPv6 address in brackets. */
export const hostPort = (ip: string, port: number): string =>
  ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
