import { largeEventBytes } from "../kubernetes/api/answer-limits.ts";
import { longestRestMs, mostWaitingBytes } from "../kubernetes/cache/large-readings.ts";
import { type Limit, limits as schedulingLimits } from "../scheduling/limits.ts";
import { memberLimits } from "./member-limits.ts";

const KiB = 2 ** 10;
const MiB = 2 ** 20;

/**
 * What anybody may ask of the programs of this image, in one table: nothing that others send costs more than this.
 * `docs/limits.md` is made of it.
 */
export const limits = {
  requestBody: {
    value: 16 * MiB,
    unit: "bytes",
    flag: "--max-request-body-size",
    of: "The body of a request",
    beyond:
      "Rejected with 413, by its content-length or at the first piece beyond the limit. The picker keeps a body until it is complete.",
  },
  messageOverhead: {
    value: 1 * MiB,
    unit: "bytes",
    of: "A proxy's message, not counting the body",
    beyond:
      "A message larger than this and the body limit together is not read; its request is rejected with 413.",
  },
  unheldRequest: {
    value: 4 * KiB,
    unit: "bytes",
    of: "The part of each request that does not count towards the memory for all bodies",
    beyond: "The request counts as a small body.",
  },
  smallBody: {
    value: 64 * KiB,
    unit: "bytes",
    of: "A small body, with its request's headers and metadata",
    beyond:
      "The body counts as a large one. Large bodies have separate memory, so a few of them do not block small ones. If the memory for small bodies is full, the oldest one is rejected with 503.",
  },
  headers: {
    value: 4_096,
    unit: "count",
    of: "Headers of a proxy's message; Envoy accepts 100 from clients by default",
    beyond: "Rejected with 413.",
  },
  headerBytes: {
    value: 2 * MiB,
    unit: "bytes",
    of: "All headers of a proxy's message; Envoy accepts 60 KiB from clients by default",
    beyond: "Rejected with 413.",
  },
  metadataValues: {
    value: 4_096,
    unit: "count",
    of: "Values in the metadata of a proxy's message",
    beyond: "The stream fails.",
  },
  shortPieces: {
    value: 4_096,
    unit: "count",
    of: "Messages with a piece of a body shorter than 64 bytes",
    beyond:
      "Rejected with 400: a short piece costs as much as a long one, and real clients send kilobytes at a time.",
  },
  stalledBody: {
    value: 5_000,
    unit: "ms",
    of: "The time without new data of a large body",
    beyond: "If another body needs its memory, the stalled body is rejected with 503.",
  },
  kvEventMessage: {
    value: 16 * MiB,
    unit: "bytes",
    of: "A message of a model server about its KV cache",
    beyond:
      "The connection is closed, and the state of that server's cache is discarded. The picker reconnects, with delays of up to ten seconds.",
  },
  tokenizedBody: {
    value: 1 * MiB,
    unit: "bytes",
    of: "The body of a request whose tokens a model server computes",
    beyond: "The picker estimates the cached prefix instead.",
  },
  tokenQuestions: {
    value: 64,
    unit: "count",
    of: "Requests whose tokens are computed concurrently",
    beyond: "The picker estimates the cached prefix of further requests.",
  },
  tokenCache: {
    value: 64 * MiB,
    unit: "bytes",
    of: "Tokens of prompts that the picker remembers",
    beyond: "The least recently used are forgotten.",
  },
  jsonDepth: {
    value: 10_000,
    unit: "count",
    of: "Objects and lists inside each other",
    beyond: "Rejected with 400, as in Go's encoding/json and therefore in llm-d-router.",
  },
  readMembers: {
    value: 64,
    unit: "count",
    of: "Members that the picker reads in a body, counting duplicates",
    beyond: "Rejected with 400: real clients send each member once.",
  },
  promptValues: {
    value: 65_536,
    unit: "count",
    of: "Values of `prompt`, `messages`, `input` and other members of a body that the picker inspects",
    beyond:
      "Further values are forwarded uninspected: their tokens are estimated from their bytes, and they are not looked up in the prefix index.",
  },
  promptBytes: {
    value: 4 * MiB,
    unit: "bytes",
    of: "The part of each of these members that the picker inspects: a million tokens of text",
    beyond: "The rest is handled like further values.",
  },
  prompts: {
    value: 256,
    unit: "count",
    of: "Prompts of a request that are looked up in the prefix index",
    beyond: "Further prompts are forwarded, and count as tokens.",
  },
  prefixBlocks: schedulingLimits.prefixBlocks,
  engineFields: {
    value: 64,
    unit: "count",
    of: "Fields of a body that clients may not set",
    beyond: "Rejected with 400. Up to this number, `--engine-fields` decides.",
  },
  formFields: {
    value: 256,
    unit: "count",
    of: "Fields of a multipart form",
    beyond: "Rejected with 400.",
  },
  formFieldHeader: {
    value: 4 * KiB,
    unit: "bytes",
    of: "The headers of a field of a multipart form",
    beyond: "Rejected with 400.",
  },
  modelName: {
    value: 253,
    unit: "bytes",
    of: "The name of a model",
    beyond: "Rejected with 400. The names of LLMServices have the same limit.",
  },
  cacheSalt: {
    value: 256,
    unit: "characters",
    of: "A `cache_salt` that is used unchanged",
    beyond: "The picker uses the hash of its first 64 KiB and its length instead.",
  },
  labelValues: {
    value: 1_000,
    unit: "count",
    of: "Client-chosen values of a metric's label",
    beyond: "Counted as `other`, except models named by the pool's objects or model servers.",
  },
  labelSets: {
    value: 2_000,
    unit: "count",
    of: "Combinations of model, target, fairness id and priority in metrics",
    beyond: "Counted as `other`.",
  },
  metricsPage: {
    value: 2 * MiB,
    unit: "bytes",
    of: "The metrics page of a model server",
    beyond:
      "Not read, as if the server did not respond. Servers with large pages are read less often.",
  },
  scrapeTime: {
    value: 250,
    unit: "ms",
    of: "CPU time per second for reading the metrics of all model servers",
    beyond:
      "The servers are read less often: those with requests get three quarters of the time first, and idle ones are read at least every 1.5 s.",
  },
  scrapeStarts: {
    value: 8,
    unit: "count",
    of: "Model servers whose metrics are requested in one turn of the event loop",
    beyond:
      "Further servers follow in the next turns, after the requests that arrived in the meantime.",
  },
  metricsLine: {
    value: 64 * KiB,
    unit: "bytes",
    of: "A line of the metrics page of a model server",
    beyond: "Passed over.",
  },
  pickerPage: {
    value: 16 * MiB,
    unit: "bytes",
    of: "The metrics page of a picker; the status controller reads one page at a time",
    beyond: "Not read; the statuses of its pool's services report it.",
  },
  pickerSeries: {
    value: 200_000,
    unit: "count",
    of: "Series of services on the pages of all pickers of a pool",
    beyond: "Not read; the statuses of its services report it.",
  },
  pickerFacts: {
    value: 200_000,
    unit: "count",
    of: "Values from these pages that the status controller keeps for all pools",
    beyond: "Nothing is kept for a further pool; the statuses of its services report it.",
  },
  pickersOfPool: {
    value: 5_000,
    unit: "ms",
    of: "The time to read all pickers of a pool",
    beyond: "The remaining pages are not read. Pools that take longer are read after the others.",
  },
  adapters: {
    value: 1_000,
    unit: "count",
    of: "Adapters that a model server reports",
    beyond: "Not read.",
  },
  cacheBlockTokens: schedulingLimits.cacheBlockTokens,
  cacheBlocks: schedulingLimits.cacheBlocks,
  cacheBlocksOfPool: schedulingLimits.cacheBlocksOfPool,
  sessions: schedulingLimits.sessions,
  sessionId: schedulingLimits.sessionId,
  tokenReviews: {
    value: 10,
    unit: "count",
    of: "Unknown tokens that the API server checks for one address; then one more per second",
    beyond: "Answered 429. Tokens that were valid before are always checked.",
  },
  tokenReviewsAtOnce: {
    value: 16,
    unit: "count",
    of: "Unknown tokens that are checked concurrently",
    beyond: "Answered 429.",
  },
  pageConnections: {
    value: 32,
    unit: "count",
    of: "Connections of one address to a program's pages",
    beyond: "Closed.",
  },
  pagesAtOnce: {
    value: 8,
    unit: "count",
    of: "Pages that one address reads concurrently",
    beyond: "Answered 429.",
  },
  pageTime: {
    value: 30_000,
    unit: "ms",
    of: "The time to read a page",
    beyond: "The connection is closed.",
  },
  pageTurn: {
    value: 2,
    unit: "ms",
    of: "The time for writing a program's metrics page in one turn of the event loop",
    beyond: "The rest is written in later turns, after the requests that arrived in the meantime.",
  },
  labelValue: {
    value: 128,
    unit: "characters",
    of: "A client-chosen value of a metric's label",
    beyond: "Cut, with eight digits of its hash appended.",
  },
  largeEvent: {
    value: largeEventBytes,
    unit: "bytes",
    of: "A change of an object that a program reads immediately when its API server reports it",
    beyond:
      "The object is queued, and only its newest version is read. After a read that takes c ms of CPU, no other starts for 5 c² ms. A change of only the status is not read if only the spec matters.",
  },
  waitingEvents: {
    value: mostWaitingBytes,
    unit: "bytes",
    of: "The newest versions of all queued objects",
    beyond: "The oldest is read immediately.",
  },
  longestRest: {
    value: longestRestMs,
    unit: "ms",
    of: "The time after a read of a large object until the next read",
    beyond: "The next object is read.",
  },
  ...memberLimits,
  reviewBody: {
    value: 4 * MiB,
    unit: "bytes",
    of: "An admission review of a pod; an API server accepts requests of 3 MiB",
    beyond: "Cut off.",
  },
  reviewTime: {
    value: 10_000,
    unit: "ms",
    of: "The time for a complete review to arrive",
    beyond: "Cut off.",
  },
  reviewsOfConnection: {
    value: 250,
    unit: "count",
    of: "Concurrent reviews of one connection",
    beyond:
      "The API server knows this limit from the connection settings, and opens another connection.",
  },
  requestTime: {
    value: 300_000,
    unit: "ms",
    flag: "--request-timeout",
    of: "The time for a complete request to arrive",
    beyond: "Rejected with 408.",
  },
  tenantsOfAddress: {
    value: 128,
    unit: "count",
    flag: "--tenants-per-address",
    of: "Tenants of one client address within five minutes, by the header of `--tenant-header`",
    beyond: "Further tenants share the queue of requests without a tenant.",
  },
  tenantAddresses: {
    value: 10_000,
    unit: "count",
    of: "Client addresses whose tenants are counted",
    beyond: "The address that was idle for longest is forgotten.",
  },
  tenantId: {
    value: 128,
    unit: "characters",
    of: "The name of a tenant that is used unchanged",
    beyond: "Its hash is used instead.",
  },
  streamAge: {
    value: 14_400_000,
    unit: "ms",
    flag: "--max-stream-age",
    of: "The age of a proxy's stream",
    beyond:
      "The stream and its response are cut off. A request whose end was not observed stops counting.",
  },
  streamsOfConnection: {
    value: 4_096,
    unit: "count",
    of: "Concurrent streams of one connection",
    beyond:
      "The proxy knows this limit from the connection settings, and opens another connection.",
  },
  connectionsOfAddress: {
    value: 1_024,
    unit: "count",
    of: "Connections of one address to a picker's port for proxies, and to the webhook's",
    beyond: "Closed.",
  },
  streams: {
    value: 32_768,
    unit: "count",
    of: "Concurrent streams of all connections",
    beyond: "Refused before processing, so a proxy may try another replica.",
  },
  resets: {
    value: 50_000,
    unit: "count",
    of: "Streams that one connection resets in a burst; 5,000 more every second",
    beyond: "The connection is closed. A proxy whose clients only cancel resets fewer.",
  },
  healthWatchers: {
    value: 100,
    unit: "count",
    of: "Concurrent watches of the health service",
    beyond: "Refused; probes use Check instead.",
  },
  healthStreams: {
    value: 16,
    unit: "count",
    of: "Concurrent requests to the health service in a connection",
    beyond:
      "Further requests wait for earlier ones of the connection, so ten thousand requests do not delay a probe.",
  },
} as const satisfies Record<string, Limit>;
