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
      "Refused with 413 by its content-length, or else at the first piece beyond. The picker holds a body until it is whole.",
  },
  messageOverhead: {
    value: 1 * MiB,
    unit: "bytes",
    of: "What a proxy's message holds besides a body",
    beyond:
      "A message of a body's limit and this is not collected; its request is refused with 413.",
  },
  unheldRequest: {
    value: 4 * KiB,
    unit: "bytes",
    of: "The part of every request that needs no room among all requests",
    beyond: "It has room among small bodies.",
  },
  smallBody: {
    value: 64 * KiB,
    unit: "bytes",
    of: "A small body, with its request's headers and metadata",
    beyond:
      "It has room among large bodies, of which a few do not keep small ones out. Where small ones have no room, the one that began first is refused with 503.",
  },
  headers: {
    value: 4_096,
    unit: "count",
    of: "Headers of a proxy's message; Envoy takes 100 from clients by default",
    beyond: "Refused with 413.",
  },
  headerBytes: {
    value: 2 * MiB,
    unit: "bytes",
    of: "All headers of a proxy's message; Envoy takes 60 KiB from clients by default",
    beyond: "Refused with 413.",
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
    of: "Pieces of a body in messages of their own that are shorter than 64 bytes",
    beyond:
      "Refused with 400: a piece costs as much however short it is, and clients send kilobytes at a time.",
  },
  stalledBody: {
    value: 5_000,
    unit: "ms",
    of: "The time in which nothing came of a large body",
    beyond: "Where there is no room for another one, it is refused with 503 in its place.",
  },
  kvEventMessage: {
    value: 16 * MiB,
    unit: "bytes",
    of: "A message of a model server about its KV cache",
    beyond:
      "The connection is closed and what the server said is forgotten; it is asked again, at most every ten seconds in the end.",
  },
  tokenizedBody: {
    value: 1 * MiB,
    unit: "bytes",
    of: "The body of a request whose tokens a model server is asked for",
    beyond: "Caches are estimated for it.",
  },
  tokenQuestions: {
    value: 64,
    unit: "count",
    of: "Requests whose tokens are asked for at the same time",
    beyond: "Caches are estimated for the others.",
  },
  tokenCache: {
    value: 64 * MiB,
    unit: "bytes",
    of: "Tokens of prompts that are kept",
    beyond: "Those that were asked for longest ago are forgotten.",
  },
  jsonDepth: {
    value: 10_000,
    unit: "count",
    of: "Objects and lists inside each other",
    beyond: "Refused with 400, as by Go's encoding/json and so by llm-d-router.",
  },
  readMembers: {
    value: 64,
    unit: "count",
    of: "Members of a body that are read, each time that they come",
    beyond: "Refused with 400: nobody's client sends a member twice.",
  },
  promptValues: {
    value: 65_536,
    unit: "count",
    of: "Values of `prompt`, `messages`, `input` and other members of a body that are looked into",
    beyond:
      "They go on to the model server unread: they count as tokens by their bytes, and no server's cache is sought for them.",
  },
  promptBytes: {
    value: 4 * MiB,
    unit: "bytes",
    of: "The part of each of these members that is looked into: a million tokens of text",
    beyond: "As of values.",
  },
  prompts: {
    value: 256,
    unit: "count",
    of: "Prompts of a request for which a server's cache is sought",
    beyond: "They go on to the model server, and count as tokens.",
  },
  prefixBlocks: schedulingLimits.prefixBlocks,
  engineFields: {
    value: 64,
    unit: "count",
    of: "Fields of a body that only infrastructure may set",
    beyond: "Refused with 400. Fewer are taken out: `--engine-fields`.",
  },
  formFields: {
    value: 256,
    unit: "count",
    of: "Fields of a multipart form",
    beyond: "Refused with 400.",
  },
  formFieldHeader: {
    value: 4 * KiB,
    unit: "bytes",
    of: "The headers of a field of a multipart form",
    beyond: "Refused with 400.",
  },
  modelName: {
    value: 253,
    unit: "bytes",
    of: "The name of a model",
    beyond: "Refused with 400. An LLMService's names are no longer either.",
  },
  cacheSalt: {
    value: 256,
    unit: "characters",
    of: "A `cache_salt` that is kept as it is",
    beyond: "The hash of its first 64 KiB and its length take its place.",
  },
  labelValues: {
    value: 1_000,
    unit: "count",
    of: "Values of a metric's label that clients choose",
    beyond: "Counted as `other`, except models that the pool's objects or its model servers name.",
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
    beyond: "Not read, as of one that does not answer. Who has large pages is asked less often.",
  },
  scrapeTime: {
    value: 250,
    unit: "ms",
    of: "CPU time per second that reading the metrics of all model servers takes",
    beyond:
      "The servers are read less often: those with requests get three quarters of the time first, and idle ones are read at least every 1.5 s.",
  },
  scrapeStarts: {
    value: 8,
    unit: "count",
    of: "Model servers whose metrics are asked for in one turn of the event loop",
    beyond: "The others follow in the next turns, after the requests that arrived in the meantime.",
  },
  metricsLine: {
    value: 64 * KiB,
    unit: "bytes",
    of: "A line of that page",
    beyond: "Passed over.",
  },
  pickerPage: {
    value: 16 * MiB,
    unit: "bytes",
    of: "The metrics page of a picker, of which the status controller reads one at a time",
    beyond: "Not read: the statuses of its pool's services say so.",
  },
  pickerSeries: {
    value: 200_000,
    unit: "count",
    of: "Series about services on the pages of all pickers of a pool",
    beyond: "Not read: the statuses of its services say so.",
  },
  pickerFacts: {
    value: 200_000,
    unit: "count",
    of: "Facts from these pages that the status controller keeps of all pools",
    beyond: "A pool that has no room has none: the statuses of its services say so.",
  },
  pickersOfPool: {
    value: 5_000,
    unit: "ms",
    of: "The time for all pickers of a pool",
    beyond: "The other pages are not read. Pools that take longer are read after the others.",
  },
  adapters: {
    value: 1_000,
    unit: "count",
    of: "Adapters that a model server says it has",
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
    of: "Unknown tokens that one address may have checked by the API server, and then one a second",
    beyond: "Answered 429. Tokens that were good before are always checked.",
  },
  tokenReviewsAtOnce: {
    value: 16,
    unit: "count",
    of: "Unknown tokens that are checked at once",
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
    of: "Pages that one address reads at once",
    beyond: "Answered 429.",
  },
  pageTime: {
    value: 30_000,
    unit: "ms",
    of: "The time in which a page is read",
    beyond: "The connection ends.",
  },
  pageTurn: {
    value: 2,
    unit: "ms",
    of: "The time that the metrics page of a program takes in one turn of the event loop",
    beyond: "The rest is written in later turns, after the requests that arrived in the meantime.",
  },
  labelValue: {
    value: 128,
    unit: "characters",
    of: "The value of a metric's label that a client chooses",
    beyond: "Cut, with eight digits of its hash at the end.",
  },
  largeEvent: {
    value: largeEventBytes,
    unit: "bytes",
    of: "A change of an object that a program reads immediately when its API server reports it",
    beyond:
      "The object waits for its turn, and only its newest version is read. After a reading that takes c ms of CPU, no other starts for 5 c² ms. A change of the status alone is not read if only the spec matters.",
  },
  waitingEvents: {
    value: mostWaitingBytes,
    unit: "bytes",
    of: "The newest versions of all objects that wait for their turn",
    beyond: "The oldest is read immediately.",
  },
  longestRest: {
    value: longestRestMs,
    unit: "ms",
    of: "The time after the reading of a large object in which no other is read",
    beyond: "The next one is read.",
  },
  ...memberLimits,
  reviewBody: {
    value: 4 * MiB,
    unit: "bytes",
    of: "A review of a pod that the webhook is asked for; an API server takes requests of 3 MiB",
    beyond: "Cut off.",
  },
  reviewTime: {
    value: 10_000,
    unit: "ms",
    of: "The time in which a review has come in full",
    beyond: "Cut off.",
  },
  reviewsOfConnection: {
    value: 250,
    unit: "count",
    of: "Reviews of one connection at once",
    beyond: "The API server is told beforehand, and opens another connection.",
  },
  requestTime: {
    value: 300_000,
    unit: "ms",
    flag: "--request-timeout",
    of: "The time until a request has come in full",
    beyond: "Refused with 408.",
  },
  tenantsOfAddress: {
    value: 128,
    unit: "count",
    flag: "--tenants-per-address",
    of: "Tenants that one client address has within five minutes, by the header of `--tenant-header`",
    beyond: "They share the queue of requests without a tenant.",
  },
  tenantAddresses: {
    value: 10_000,
    unit: "count",
    of: "Client addresses whose tenants are counted",
    beyond: "The one that was idle for longest is forgotten.",
  },
  tenantId: {
    value: 128,
    unit: "characters",
    of: "The name of a tenant that is kept as it is",
    beyond: "Its hash takes its place.",
  },
  streamAge: {
    value: 14_400_000,
    unit: "ms",
    flag: "--max-stream-age",
    of: "The age of a proxy's stream",
    beyond: "Ended, and its answer with it. A request whose end nobody saw counts no more.",
  },
  streamsOfConnection: {
    value: 4_096,
    unit: "count",
    of: "Streams of one connection at once",
    beyond: "The proxy is told beforehand, and opens another connection.",
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
    of: "Streams of all connections at once",
    beyond: "Refused as not begun, so that a proxy may try another replica.",
  },
  resets: {
    value: 50_000,
    unit: "count",
    of: "Streams that one connection resets at once; 5,000 more every second",
    beyond: "The connection ends. No proxy has so many whose clients only cancel.",
  },
  healthWatchers: {
    value: 100,
    unit: "count",
    of: "Who watches the health service at once",
    beyond: "Refused; a probe asks by Check.",
  },
  healthStreams: {
    value: 16,
    unit: "count",
    of: "Questions to the health service at once in a connection",
    beyond:
      "They wait for those before them, so that who asks ten thousand at once does not keep a probe waiting.",
  },
} as const satisfies Record<string, Limit>;
