/**
 * One port of one ready pod of the pool: what a request is sent to.
 *
 * A value: a changed label or address makes a new Endpoint. What is measured about it lives in `live`, which
 * stays the same object as long as the pod (by uid) and the rank stay.
 */
export interface Endpoint {
  /** `namespace/pod-rank-index`, unique in the pool. */
  readonly id: string;
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  /** Index in the pool's targetPorts; keeps its number when `active-ports` leaves ranks out. */
  readonly rank: number;
  /** Without brackets, also for IPv6. */
  readonly ip: string;
  readonly port: number;
  /** `ip:port`, an IPv6 address in brackets: the value of the endpoint header. */
  readonly address: string;
  /** The pod's labels. */
  readonly labels: Readonly<Record<string, string>>;
  readonly live: LiveState;
}

/** What changes with every scrape and every request. Written by the scraper and by the flights only. */
export interface LiveState {
  /** Last reading of the model server's metrics; undefined before the first. */
  metrics: ModelServerMetrics | undefined;
  /** Nobody listened at its address when its metrics were to be read. */
  isDown: boolean;
  /** Requests that were sent there and have not ended. */
  runningRequests: number;
  /** Those of them whose responses nobody watches. */
  unobservedRequests: number;
  /** Requests that were ever sent there. */
  sentRequests: number;
  /** Estimated prompt tokens of the requests that have not ended that the server had not cached. */
  runningTokens: number;
  /** Prompts of the requests whose answers have not begun, as far as the picker knows, in the order in which they were sent. */
  readonly prompts: Set<SentPrompt>;
  /** Tokens of the first of them that are computed by now, as far as its time tells. */
  computedTokens: number;
  /** Those of them whose answers are streams, which show when a prompt is computed. */
  streamedTokens: number;
  /** The same of what other replicas of the picker sent there, as far as the server's metrics tell. */
  externalTokens: number;
  /** The same as `runningTokens` of all requests that this picker ever sent there, but those that ended without an answer. */
  sentTokens: number;
  /** Number of its requests whose answers the picker saw begin. */
  firstTokens: number;
  /** How much slower than others it computes prompts: 2 where they take twice as long. 1 where nothing else was seen. */
  slowness: number;
  /** Requests that it works on at once, at most; no limit as long as none was seen to wait for a place. */
  maxConcurrentRequests: number;
  /** Milliseconds until one of its requests ends and there is a place for another; 0 as long as that is not known. */
  msUntilSlot: number;
  /** Milliseconds between two tokens of an answer there; 0 as long as that is not known. */
  msBetweenTokens: number;
  /** What the picker knew when the last metrics were read; undefined before the first. */
  reading: MetricsReading | undefined;
}

/** A prompt of a request whose answer has not begun. */
export interface SentPrompt {
  /** Estimated tokens of it that the server had not cached. */
  readonly promptTokens: number;
  /** Keys of its blocks, by which a prompt that comes after it is known to begin alike; undefined where they are not known. */
  keys?: readonly Float64Array[] | undefined;
}

/** What the picker had sent when a model server's metrics were read. */
export interface MetricsReading {
  /** Requests that had been sent when the server was asked: those that came later it may not have counted. */
  readonly sentBefore: number;
  /** Requests that this picker had there then, and whose answers had not begun. */
  readonly prefillingBefore: number;
  /** Requests beyond those of this picker that two readings, one after the other, have seen there. */
  readonly others: number;
  /** The same of the last reading alone. */
  readonly othersNow: number;
  /** How many answers had begun by the server, and how many the picker had seen begin when the server told that first. */
  readonly began?: { readonly reported: number | undefined; readonly seen: number };
}

/** A reading of one model server's metrics; the names are the model server protocol's, whatever the engine's. */
export interface ModelServerMetrics {
  /** Time of the reading, milliseconds of the picker's clock. */
  readonly at: number;
  readonly waitingRequests: number;
  readonly runningRequests: number;
  /** The server says how many requests it has, running and waiting. */
  readonly reportsRequests: boolean;
  /** Requests that it works on at once, at most; undefined where it does not say. */
  readonly maxRunningRequests: number | undefined;
  /** Number of answers that began since the server started; undefined where it does not say. */
  readonly firstTokens: number | undefined;
  /** Number of answers that ended, but those that broke off; undefined where it does not say. */
  readonly endedRequests: number | undefined;
  /** Number of tokens of all answers, where it rises with every step; undefined where it does not say. */
  readonly generatedTokens: number | undefined;
  /** Share of the KV cache in use, 0 to 1. */
  readonly kvCacheUsage: number;
  /** Tokens a KV cache block holds; undefined where the server does not say. */
  readonly cacheBlockSize: number | undefined;
  /** KV cache blocks of the server; undefined where it does not say. */
  readonly cacheBlocks: number | undefined;
  /** The model that it says it serves; undefined where it does not say. */
  readonly servedModel: string | undefined;
  /** Adapters that are loaded and serve; empty where the server has none. */
  readonly activeModels: ReadonlySet<string>;
  /** Adapters that requests wait for. */
  readonly waitingModels: ReadonlySet<string>;
  /** Adapters that fit at once; 0 where the server does not say. */
  readonly maxActiveModels: number;
}

/** A reading of a server that tells nothing of itself. */
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

/** `ip:port` with the brackets that IPv6 needs. */
export const hostPort = (ip: string, port: number): string =>
  ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
