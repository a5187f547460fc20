import { largeEventBytes } from "../kubernetes/api/answer-limits.ts";
import { longestRestMs, mostWaitingBytes } from "../kubernetes/cache/large-readings.ts";
import { type Limit, limits as schedulingLimits } from "../scheduling/limits.ts";
import { memberLimits } from "./member-limits.ts";

const KiB = 2 ** 10;
const MiB = 2 ** 20;

/**
 * Limits on the cost that other parties can impose on the programs of this image, in one table.
 * `docs/limits.md` is generated from it.
 */
export const limits = {
  requestBody: {
    value: 16 * MiB,
    unit: "bytes",
    flag: "--max-request-body-size",
    of: "Body of a request",
    beyond:
      "The request gets 413, based on its content-length or at the first chunk over the limit. The picker buffers a body until it is complete.",
  },
  messageOverhead: {
    value: 1 * MiB,
    unit: "bytes",
    of: "Data in a proxy's message besides the body",
    beyond:
      "A message larger than this plus the body limit is not buffered, and its request gets 413.",
  },
  unheldRequest: {
    value: 4 * KiB,
    unit: "bytes",
    of: "Size up to which a request does not count against the shared buffer",
    beyond: "It counts as a small body.",
  },
  smallBody: {
    value: 64 * KiB,
    unit: "bytes",
    of: "A small body, with the headers and metadata of its request",
    beyond:
      "It counts as a large body. A few large bodies cannot block small ones. When the buffer for small bodies is full, the request whose body began first gets 503.",
  },
  headers: {
    value: 4_096,
    of: "Headers in a proxy's message; by default Envoy accepts 100 from clients",
    beyond: "The request gets 413.",
  },
  headerBytes: {
    value: 2 * MiB,
    unit: "bytes",
    of: "All headers of a proxy's message; by default Envoy accepts 60 KiB from clients",
    beyond: "The request gets 413.",
  },
  metadataValues: {
    value: 4_096,
    of: "Values in the metadata of a proxy's message",
    beyond: "The stream fails.",
  },
  shortPieces: {
    value: 4_096,
    of: "Chunks of a body shorter than 64 bytes, each in its own message",
    beyond:
      "The request gets 400. Every chunk has the same overhead, and real clients send kilobytes at a time.",
  },
  stalledBody: {
    value: 5_000,
    unit: "ms",
    of: "Time without data from a large body",
    beyond:
      "If the buffer is full and another body arrives, the request with the stalled body gets 503.",
  },
  kvEventMessage: {
    value: 16 * MiB,
    unit: "bytes",
    of: "A message of a model server about its KV cache",
    beyond:
      "The picker closes the connection, forgets the reported blocks and reconnects, with delays of up to ten seconds.",
  },
  tokenizedBody: {
    value: 1 * MiB,
    unit: "bytes",
    of: "Body of a request that a model server tokenizes for the picker",
    beyond: "The picker estimates the cached prefix.",
  },
  tokenQuestions: {
    value: 64,
    of: "Concurrent tokenize requests",
    beyond: "The picker estimates the cached prefix of further requests.",
  },
  tokenCache: {
    value: 64 * MiB,
    unit: "bytes",
    of: "Memory for the tokens of prompts",
    beyond: "The tokens that have not been used for the longest time are evicted.",
  },
  jsonDepth: {
    value: 10_000,
    of: "Nested objects and lists",
    beyond: "The request gets 400, as in llm-d-router, which uses Go's encoding/json.",
  },
  readMembers: {
    value: 64,
    of: "Parsed members of a body, including repeated ones",
    beyond: "The request gets 400. Real clients do not repeat a member.",
  },
  promptValues: {
    value: 65_536,
    of: "Parsed values of `prompt`, `messages`, `input` and other members of a body",
    beyond:
      "The rest is passed to the model server unparsed. It counts as tokens by its bytes, and no cached prefix is looked up for it.",
  },
  promptBytes: {
    value: 4 * MiB,
    unit: "bytes",
    of: "Parsed bytes of each such member, about a million tokens of text",
    beyond: "As for values.",
  },
  prompts: {
    value: 256,
    of: "Prompts of a request for which cached prefixes are looked up",
    beyond: "Further prompts are passed to the model server, and count as tokens.",
  },
  prefixBlocks: schedulingLimits.prefixBlocks,
  engineFields: {
    value: 64,
    of: "Fields of a body that only infrastructure may set",
    beyond: "The request gets 400. Up to this number, they are removed: `--engine-fields`.",
  },
  formFields: {
    value: 256,
    of: "Fields of a multipart form",
    beyond: "The request gets 400.",
  },
  formFieldHeader: {
    value: 4 * KiB,
    unit: "bytes",
    of: "Headers of a field of a multipart form",
    beyond: "The request gets 400.",
  },
  modelName: {
    value: 253,
    unit: "bytes",
    of: "Name of a model",
    beyond: "The request gets 400. The names of an LLMService have the same limit.",
  },
  cacheSalt: {
    value: 256,
    unit: "characters",
    of: "Length of a `cache_salt` that is stored unchanged",
    beyond: "The picker stores the hash of the first 64 KiB, and the length.",
  },
  labelValues: {
    value: 1_000,
    of: "Values of a metric's label that clients choose",
    beyond: "Counted as `other`, except models of the pool's objects or its model servers.",
  },
  labelSets: {
    value: 2_000,
    of: "Combinations of model, target, fairness id and priority in metrics",
    beyond: "Counted as `other`.",
  },
  metricsPage: {
    value: 2 * MiB,
    unit: "bytes",
    of: "Metrics page of a model server",
    beyond:
      "The page is ignored, as if the server did not answer. Servers with large pages are scraped less often.",
  },
  scrapeTime: {
    value: 250,
    unit: "ms",
    of: "CPU time per second for reading the metrics of all model servers",
    beyond:
      "The servers are scraped less often. Servers with requests get three quarters of the time first, and idle ones are scraped at least every 1.5 s.",
  },
  scrapeStarts: {
    value: 8,
    of: "Model servers that are scraped in one turn of the event loop",
    beyond: "The rest follow in the next turns, after the requests that arrived in the meantime.",
  },
  metricsLine: {
    value: 64 * KiB,
    unit: "bytes",
    of: "Line of a model server's metrics page",
    beyond: "The line is skipped.",
  },
  transferBlocks: {
    value: 2 ** 20,
    of: "Block ids in a prefiller's transfer object; ten million tokens have 655,360 blocks of 16",
    beyond: "The decoder computes the prompt.",
  },
  transferName: {
    value: 1_024,
    unit: "characters",
    of: "Id of an engine or request in a prefiller's transfer object",
    beyond: "The decoder computes the prompt.",
  },
  usageTokens: {
    value: 2 ** 24,
    of: "Tokens of a count in a response's usage; a body of 16 MiB has fewer",
    beyond:
      "The count is ignored, as if the model server had not reported it. A count below 0 or with a fraction is ignored too. Metrics by which tenants are billed do not contain ignored counts.",
  },
  pickerPage: {
    value: 16 * MiB,
    unit: "bytes",
    of: "Metrics page of a picker; the status controller reads one at a time",
    beyond: "The page is ignored, and the statuses of the pool's services report it.",
  },
  pickerSeries: {
    value: 200_000,
    of: "Series about services on the pages of all pickers of a pool",
    beyond:
      "The page that exceeds it is ignored, and the statuses of the pool's services report it.",
  },
  pickerFacts: {
    value: 200_000,
    of: "Facts from pickers' pages that the status controller keeps for all pools",
    beyond: "A pool over the limit has no facts, and the statuses of its services report it.",
  },
  pickersOfPool: {
    value: 5_000,
    unit: "ms",
    of: "Time for reading all pickers of a pool",
    beyond: "The remaining pages are not read. Slow pools are read after the others.",
  },
  adapters: {
    value: 1_000,
    of: "Adapters that a model server reports",
    beyond: "Further adapters are ignored.",
  },
  cacheBlockTokens: schedulingLimits.cacheBlockTokens,
  cacheBlocks: schedulingLimits.cacheBlocks,
  cacheBlocksOfPool: schedulingLimits.cacheBlocksOfPool,
  sessions: schedulingLimits.sessions,
  sessionId: schedulingLimits.sessionId,
  tokenReviews: {
    value: 10,
    of: "Unknown tokens from one address that the API server checks in a burst; after that, one per second",
    beyond: "The request gets 429. Tokens that were valid before are always checked.",
  },
  tokenReviewsAtOnce: {
    value: 16,
    of: "Unknown tokens that are checked concurrently",
    beyond: "The request gets 429.",
  },
  pageConnections: {
    value: 32,
    of: "Connections from one address to a program's pages",
    beyond: "The connection is closed.",
  },
  allPageConnections: {
    value: 512,
    of: "Connections from all addresses to a program's pages. One address may use up to twice the number of free connections",
    beyond: "The connection is closed.",
  },
  pagesAtOnce: {
    value: 8,
    of: "Pages that one address reads concurrently",
    beyond: "The request gets 429.",
  },
  pageRequests: {
    value: 100,
    of: "Requests and connections from one address to a program's pages in a burst; after that, 20 per second",
    beyond:
      "The request gets 429 after a second, and its connection is closed. A new connection is closed.",
  },
  pageTime: {
    value: 30_000,
    unit: "ms",
    of: "Time for reading a page",
    beyond: "The connection is closed.",
  },
  pageTurn: {
    value: 2,
    unit: "ms",
    of: "Time that a program's metrics page takes in one turn of the event loop",
    beyond: "The rest is written in later turns, after the requests that arrived in the meantime.",
  },
  labelValue: {
    value: 128,
    unit: "characters",
    of: "Value of a metric's label that a client chooses",
    beyond: "The value is cut, and eight digits of its hash are appended.",
  },
  largeEvent: {
    value: largeEventBytes,
    unit: "bytes",
    of: "Size of an object's change up to which a program parses it immediately",
    beyond:
      "The object waits for its turn, and only its newest version is parsed. After a parse that takes c ms of CPU, no other starts for 5 c² ms. A change of the status alone is not parsed if only the spec matters.",
  },
  waitingEvents: {
    value: mostWaitingBytes,
    unit: "bytes",
    of: "Newest versions of all objects that wait for their turn",
    beyond: "The oldest is parsed immediately.",
  },
  longestRest: {
    value: longestRestMs,
    unit: "ms",
    of: "Longest pause after a large object is parsed",
    beyond: "The next one is parsed.",
  },
  ...memberLimits,
  reviewBody: {
    value: 4 * MiB,
    unit: "bytes",
    of: "A review of a pod that the webhook receives; an API server accepts requests of 3 MiB",
    beyond: "The request is aborted.",
  },
  reviewTime: {
    value: 10_000,
    unit: "ms",
    of: "Time until a review is complete",
    beyond: "The request is aborted.",
  },
  reviewsOfConnection: {
    value: 250,
    of: "Concurrent reviews on one connection",
    beyond: "The API server knows this limit, and opens another connection.",
  },
  requestTime: {
    value: 300_000,
    unit: "ms",
    flag: "--request-timeout",
    of: "Time until a request is complete",
    beyond: "The request gets 408.",
  },
  tenantsOfAddress: {
    value: 128,
    flag: "--tenants-per-address",
    of: "Tenants of one client address within five minutes, by the header of `--tenant-header`",
    beyond: "Further tenants share the queue of requests without a tenant.",
  },
  tenantAddresses: {
    value: 10_000,
    of: "Client addresses whose tenants are counted",
    beyond: "The address that has been idle for the longest time is forgotten.",
  },
  tenantId: {
    value: 128,
    unit: "characters",
    of: "Length of a tenant's name that is stored unchanged",
    beyond: "The picker stores a hash of the name.",
  },
  streamAge: {
    value: 14_400_000,
    unit: "ms",
    flag: "--max-stream-age",
    of: "Age of a proxy's stream",
    beyond: "The stream and its answer end. A request whose end was not observed no longer counts.",
  },
  streamsOfConnection: {
    value: 4_096,
    of: "Concurrent streams on one connection",
    beyond: "The proxy knows this limit, and opens another connection.",
  },
  connectionsOfAddress: {
    value: 1_024,
    of: "Connections from one address to a picker's ext_proc port, or to the webhook's port",
    beyond: "The connection is closed.",
  },
  connections: {
    value: 4_096,
    of: "Connections from all addresses to such a port. One address may use up to twice the number of free connections",
    beyond: "The connection is closed.",
  },
  streams: {
    value: 32_768,
    of: "Concurrent streams on all connections to a picker or a model router. One address may use up to twice the number of free streams: two thirds of all if it is alone",
    beyond: "The stream is refused as not started, so that a proxy can try another replica.",
  },
  crowdedRequestTime: {
    value: 5_000,
    unit: "ms",
    of: "Time until a request is complete while less than a quarter of these streams is free",
    beyond: "The request gets 408, and its stream is reset a second later.",
  },
  resets: {
    value: 50_000,
    of: "Streams that one connection may reset in a burst; the budget refills by 5,000 per second",
    beyond:
      "The connection is closed. Clients that only cancel requests do not cause this many resets.",
  },
  healthWatchers: {
    value: 100,
    of: "Concurrent watchers of the health service",
    beyond: "Further watchers are refused. Probes use Check instead.",
  },
  healthStreams: {
    value: 4,
    of: "Concurrent calls to the health service on one connection",
    beyond: "Further calls wait. A probe needs one.",
  },
  healthConnections: {
    value: 256,
    of: "Connections to the health service",
    beyond:
      "The oldest connection is closed. Probes are short, and all connections share the small heap of one thread.",
  },
  healthConnectionsOfAddress: {
    value: 64,
    of: "Connections from one address to the health service",
    beyond: "The connection is closed, so that one client does not displace the probes.",
  },
} as const satisfies Record<string, Limit>;
