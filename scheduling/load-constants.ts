/** A constant of load prediction. */
export interface Constant {
  readonly value: number;
  readonly unit: string;
  /** A trace of bench:routing or another benchmark whose figures depend on the constant; or `none`. */
  readonly shownBy: string;
  readonly reason: string;
}

/** All constants of load prediction, one per line. docs/load-prediction.md contains the same table. */
// biome-ignore format: a row is a line
export const constantRows = {
  // Cost of a request on a server.
  recomputeFactor: { value: 2, unit: "tokens per uncached token", shownBy: "400 prefixes", reason: "Computing a token takes time and evicts another one from the cache." },
  copyAmortizationSeconds: { value: 4, unit: "s", shownBy: "agents", reason: "A second copy of a prefix saves waiting time, but only for the requests of the next seconds." },
  copyAmortizationRequests: { value: 40, unit: "requests", shownBy: "a long shared prompt", reason: "With 0, one server gets all requests with a shared prompt." },
  requestTokens: { value: 64, unit: "tokens", shownBy: "full caches", reason: "A request takes part of every step, in addition to its prompt." },
  leastCopyCost: { value: 1 / 8, unit: "tokens per uncached token", shownBy: "chats", reason: "With less, requests leave their caches without a gain." },
  copyHalvingTokens: { value: 512, unit: "tokens per server", shownBy: "chats", reason: "With this many tokens to compute, the cost of a copy doubles: the server has other work first." },
  slowStepTokens: { value: 128, unit: "tokens", shownBy: "40 prefixes, a slow pod", reason: "A step of a slow server takes longer, even without a prompt." },
  oneStepPrompt: { value: 128, unit: "tokens", shownBy: "none", reason: "A prompt this short takes one step on any server. If its cache counted, one of several idle servers would get all of them." },
  rateLearningMs: { value: 5_000, unit: "ms", shownBy: "pods come and go, 3 replicas", reason: "A new picker assumes a high request rate until it has measured it." },
  costGrain: { value: 64, unit: "tokens", shownBy: "chats", reason: "Costs that differ by less count as equal, and the picker selects at random among these servers." },
  unknownSlotTokens: { value: 2_048, unit: "tokens", shownBy: "full caches", reason: "Cost of a wait for a slot before any response has ended on the server." },
  // Speed of servers.
  assumedTokens: { value: 8_192, unit: "tokens", shownBy: "40 prefixes, slow engines", reason: "Weight of the assumed speed: servers compute more than this within seconds." },
  assumedMsPerToken: { value: 0.1, unit: "ms", shownBy: "40 prefixes, slow engines", reason: "Engines compute 5,000 to 20,000 prompt tokens per second." },
  fullStepTokens: { value: 1_024, unit: "tokens", shownBy: "two tenants", reason: "With this many prompt tokens to compute, a server's steps are full: requests wait for the prompts, not for a slot." },
  speedMemory: { value: 65_536, unit: "tokens", shownBy: "a slow pod", reason: "A server's speed changes with other work on its GPU, so older tokens count less." },
  speedSample: { value: 16_384, unit: "tokens", shownBy: "a slow pod", reason: "A speed measured over fewer tokens is too inaccurate." },
  unequalSpeed: { value: 1.25, unit: "times other servers' ms per token", shownBy: "a slow pod", reason: "Measured speeds of equal servers differ by less." },
  speedRetryMs: { value: 7_000, unit: "ms", shownBy: "long prompts, a pod recovers", reason: "A server that recovers gets its share within 10 s; one that stays slow gets one request in this time." },
  recoveredAnswers: { value: 3, unit: "responses", shownBy: "none", reason: "One fast response may be due to a prefix that the picker did not know to be cached." },
  highestSlowness: { value: 8, unit: "times other servers' ms per token", shownBy: "a slow pod", reason: "A wrong measurement must not exclude a server." },
  usualStepMs: { value: 20, unit: "ms", shownBy: "40 prefixes, a slow pod", reason: "Besides its prompt, a first token takes one step and the rest of the step before." },
  delayPrompt: { value: 512, unit: "tokens", shownBy: "40 prefixes, a slow pod", reason: "Prompts up to this length take one or two steps, so their delay shows the server's speed." },
  delaySamples: { value: 64, unit: "responses", shownBy: "40 prefixes, a slow pod", reason: "Most recent responses of a server. Their median ignores a lost prefix or one long step." },
  fewestDelays: { value: 16, unit: "responses", shownBy: "40 prefixes, a slow pod", reason: "A median of fewer responses is too inaccurate." },
  delayMemoryMs: { value: 60_000, unit: "ms", shownBy: "40 prefixes, a slow pod", reason: "After this time without a response, the delay of a server must be measured again." },
  slowRetryMs: { value: 4_000, unit: "ms", shownBy: "bench:faults", reason: "A slow server that recovers gets its share within 10 s; one that stays slow gets one request in this time." },
  unequalDelay: { value: 1.5, unit: "times other servers' delay", shownBy: "40 prefixes, a slow pod", reason: "A server with more responses to generate takes longer steps." },
  delayComparisonMs: { value: 1_000, unit: "ms", shownBy: "40 prefixes, a slow pod", reason: "Sorting the responses of all servers at every reading takes too long." },
  computedPart: { value: 0.75, unit: "share of the prompt", shownBy: "documents, slow engines", reason: "The rest of a prompt may take any time until its response begins." },
  // Prompts that other pickers sent.
  othersSamples: { value: 256, unit: "prompts", shownBy: "documents, 3 replicas", reason: "Gateways spread requests evenly, so other pickers' prompts are as long as this picker's most recent ones." },
  longestStepMs: { value: 500, unit: "ms", shownBy: "documents, 3 replicas", reason: "Equal metrics that are further apart belong to different steps." },
  stepMemory: { value: 64, unit: "steps", shownBy: "documents, 3 replicas", reason: "Steps get longer with the load, so older ones count less." },
  leastWindowMs: { value: 10_000, unit: "ms", shownBy: "documents, 3 replicas", reason: "Servers do not count cancelled responses as ended, so an older minimum is too low." },
  // Slots of servers.
  firstSlots: { value: 8, unit: "slots", shownBy: "documents, with queues", reason: "Every engine runs at least this many requests by default." },
  unreportedSlots: { value: 100, unit: "slots", shownBy: "none", reason: "Default of concurrency-detector if no server reports its requests." },
  usedSlots: { value: 0.95, unit: "share of the slots", shownBy: "small caches, with queues", reason: "A reading misses requests that are still on their way." },
  slotPatienceMs: { value: 500, unit: "ms", shownBy: "small caches, with queues", reason: "After this time the picker tries more slots, even if readings miss requests on their way or in the tokenizer." },
  slotTries: { value: 4, unit: "slots", shownBy: "documents, with queues", reason: "If the server has no more slots, this many requests wait there." },
  firstTryPauseMs: { value: 500, unit: "ms", shownBy: "bench:overload", reason: "First pause between two tries of more slots; it doubles while they fail." },
  longestTryPauseMs: { value: 16_000, unit: "ms", shownBy: "bench:overload", reason: "A failed try makes a request wait until a response ends." },
  slotWaitSteps: { value: 2, unit: "steps", shownBy: "few sequences", reason: "A request may wait through one step for other reasons, such as a KV cache from a prefiller." },
  rateMemoryMs: { value: 10_000, unit: "ms", shownBy: "40 prefixes, slow engines", reason: "Rates of arrivals and ended responses change within seconds, so older ones count less." },
  paceWindowMs: { value: 400, unit: "ms", shownBy: "bench:overload", reason: "About ten steps, so that one step with a prompt does not count alone." },
  paceAim: { value: 0.92, unit: "share of the objective", shownBy: "bench:overload", reason: "The time between tokens varies by a few percent around its mean." },
  paceRequests: { value: 2, unit: "requests", shownBy: "bench:overload", reason: "One long prompt slows all responses, so a server with fewer requests is never full by its pace." },
  // Requests whose responses the picker does not observe.
  proxyMs: { value: 500, unit: "ms", shownBy: "bench:routing:live", reason: "A request can take this long through the proxy." },
  arrivalMs: { value: 10_000, unit: "ms", shownBy: "bench:routing:live", reason: "A server under load needs time to read a request and tokenize its prompt." },
  leastTokensPerMs: { value: 1, unit: "tokens per ms", shownBy: "bench:routing:live", reason: "Every server computes at least this many." },
  // Health of servers.
  failuresInARow: { value: 3, unit: "requests", shownBy: "bench:faults", reason: "One or two failures in a row may be caused by a client's requests." },
  firstBackoffMs: { value: 1_000, unit: "ms", shownBy: "bench:faults", reason: "A container needs about this long to restart." },
  backoffFactor: { value: 3, unit: "times the previous delay", shownBy: "bench:faults", reason: "With 2, probes are more than 2 % of ten requests per second." },
  longestBackoffMs: { value: 7_000, unit: "ms", shownBy: "bench:faults", reason: "A server that recovers gets its share within 10 s, and probes stay below 2 % of ten requests per second." },
  backoffJitter: { value: 0.15, unit: "share of the delay", shownBy: "bench:faults", reason: "Prevents several pickers from probing at the same time." },
  unseenReadings: { value: 10, unit: "readings of the metrics", shownBy: "bench:faults", reason: "A request takes up to 500 ms to its server under load, and metrics are read every 50 ms." },
  unreadMs: { value: 2_000, unit: "ms", shownBy: "bench:faults", reason: "Older metrics do not show the server's present state." },
  stallMs: { value: 1_000, unit: "ms", shownBy: "bench:faults", reason: "Longest time without progress, in addition to the time to compute the prompts." },
  stallFactor: { value: 4, unit: "times the expected time to compute the prompts", shownBy: "bench:faults", reason: "A server may be slower than the usual speed of the pool." },
  failingModels: { value: 64, unit: "models or clients per server", shownBy: "bench:attacks", reason: "Clients choose the names of models, so their number must be bounded." },
  suspectPart: { value: 0.1, unit: "failures", shownBy: "bench:faults", reason: "A failure of a source that fails on most servers. Thirty in a row still eject a server." },
  sourceMemoryMs: { value: 10_000, unit: "ms", shownBy: "bench:faults", reason: "Longer than the delay between two probes of a failing server." },
  sourceServers: { value: 32, unit: "servers per client or model", shownBy: "bench:attacks", reason: "Enough to see whether most servers fail, in a pool of any size." },
  failingSources: { value: 1_000, unit: "clients or models", shownBy: "bench:attacks", reason: "The number of clients must be bounded." },
  // Waits for a cheaper server, and slots that are reserved for higher bands.
  leastSaving: { value: 1_024, unit: "tokens", shownBy: "full caches, with queues", reason: "An engine's step computes this many in addition to its other work." },
  waitFactor: { value: 2, unit: "tokens per uncached token", shownBy: "40 prefixes, slow engines, with queues", reason: "Computing a token evicts another one that other requests need." },
  shortWaitTokens: { value: 4_096, unit: "tokens", shownBy: "full caches, with queues", reason: "Two steps of an engine are a short wait." },
  longestWaitMs: { value: 5_000, unit: "ms", shownBy: "40 prefixes, slow engines, with queues", reason: "No client waits forever for a slot that only its request wants." },
  longestContestedWaitMs: { value: 10_000, unit: "ms", shownBy: "40 prefixes, slow engines, with queues", reason: "Other requests may want the slot and cost less there." },
  pressedServers: { value: 0.9, unit: "mean load of servers", shownBy: "bench:overload", reason: "Below it servers have free slots, and higher bands need no reserved ones." },
  bandMemory: { value: 500, unit: "requests", shownBy: "bench:overload", reason: "The mix of bands changes, so older requests count less." },
  rareBand: { value: 0.01, unit: "share of the requests", shownBy: "bench:overload", reason: "Rarer bands are not worth an unused slot." },
  answerSamples: { value: 50, unit: "responses", shownBy: "bench:overload", reason: "A flow's turns must not depend on single responses." },
  expectedAnswerPart: { value: 0.25, unit: "share of the expected answer", shownBy: "bench:overload", reason: "Best of 0, 0.1, 0.25, 0.5, 0.7, 1, 2 and 4 with responses of 100 and 1,000 tokens." },
  longestPromptMs: { value: 1_000, unit: "ms", shownBy: "bench:overload", reason: "Longest time for a prompt. A request of unknown cost that held a slot for this time counts in full." },
  // Prefixes in the caches of servers.
  leastSentByOthers: { value: 0.25, unit: "share of unknown tokens", shownBy: "40 prefixes, a slow pod, 3 replicas", reason: "Without it, replicas that read the same metrics select the same server." },
  mostSentByOthers: { value: 0.75, unit: "share of unknown tokens", shownBy: "40 prefixes, a slow pod, 3 replicas", reason: "With more, prompts that are new to all replicas crowd on their preferred servers." },
  mostTokensByOthers: { value: 4_096, unit: "tokens", shownBy: "documents, 3 replicas", reason: "Outweighs the usual load of a preferred server, but not a document that the server computes." },
  reuseMemory: { value: 200_000, unit: "tokens", shownBy: "400 prefixes, 3 replicas", reason: "Over 50,000 tokens, the first uses of many prefixes look like prompts that never repeat." },
  repeatedPart: { value: 0.3, unit: "share of the prompts", shownBy: "documents, with queues", reason: "Without repeated prompts, a cold prompt gains nothing by a wait." },
  repeatMemory: { value: 64, unit: "prompts", shownBy: "agent sessions, full caches, with queues", reason: "The first turns of the sessions of a pool do not repeat." },
  seenPrefixes: { value: 8_192, unit: "prefixes", shownBy: "agent sessions, full caches, with queues", reason: "A prompt of 100,000 tokens has eleven, so this covers 700 prompts." },
  useMemory: { value: 32, unit: "prompts", shownBy: "agent sessions, full caches, with queues", reason: "Think times differ, so a few of them do not show the usual one." },
  firstReuseMs: { value: 20_000, unit: "ms", shownBy: "agent sessions, full caches, with queues", reason: "Time between the turns of an agent, before any was measured." },
  reuseGaps: { value: 5, unit: "times the mean time between two uses", shownBy: "agent sessions, full caches, with queues", reason: "Think times are uneven: with 2, half of the gain is lost, with 8, prompts wait that have capacity." },
  longestReuseMs: { value: 60_000, unit: "ms", shownBy: "agent sessions, full caches, with queues", reason: "A prefix that is not used for a minute is worth no wait of another prompt." },
  holdPart: { value: 0.8, unit: "share of the time to live", shownBy: "agent sessions, full caches, with queues", reason: "A held prompt must be sent before its time to live ends." },
  heldBacklogMs: { value: 200, unit: "ms of prompts per server, with the held one", shownBy: "unequal servers, with queues", reason: "Servers that have time can compute an evicted prefix again." },
  holdCheckMs: { value: 50, unit: "ms", shownBy: "bench:epp", reason: "Metrics are read as often; each check hashes the prompt." },
  shortageMemory: { value: 4_000, unit: "blocks", shownBy: "small caches", reason: "Detects a shortage after a few prompts." },
  droppedSamples: { value: 64, unit: "blocks per prompt", shownBy: "small caches", reason: "Checking all evicted blocks on all servers takes too long." },
  blockSizeSamples: { value: 64, unit: "servers", shownBy: "bench:pods", reason: "This many show the block size of most servers." },
  leastBlockTokens: { value: 64, unit: "tokens", shownBy: "bench:epp", reason: "Smaller blocks take more time to hash and add little precision." },
  shareSamples: { value: 8, unit: "blocks per prompt", shownBy: "bench:epp", reason: "The mean over some blocks is close to the mean over all." },
  secondCopyWorth: { value: 2, unit: "times a further copy", shownBy: "few sequences", reason: "With two servers to choose from, a request need not wait for the busy one (the power of two choices, Mitzenmacher, 2001)." },
  preferredLoad: { value: 1.25, unit: "times the mean load", shownBy: "400 prefixes, 3 replicas", reason: "Prevents new prompts from crowding on a server that is much fuller than others." },
  leastPreferredExcess: { value: 500, unit: "tokens", shownBy: "documents, 3 replicas", reason: "A preferred server may have as many more tokens as the prompt takes to compute elsewhere, and at least this many." },
  mostPreferredExcess: { value: 4_096, unit: "tokens", shownBy: "400 prefixes, 3 replicas", reason: "With 500 for all prompts, prefixes of 2,000 tokens leave their preferred servers too early." },
  popularityCounters: { value: 8_192, unit: "counters per row, a power of two", shownBy: "chats of three tenants", reason: "Two rows take 32 KB per pool." },
  popularityMemory: { value: 512, unit: "prompts", shownBy: "small caches", reason: "Prompts change, so older ones count half." },
  unseenPrompts: { value: 32, unit: "prompts", shownBy: "chats", reason: "The first few prompts do not show which prefixes are common." },
  leastShortage: { value: 0.002, unit: "share of blocks", shownBy: "small caches", reason: "With less, caches have capacity for second copies." },
  penaltyPerShortage: { value: 100, unit: "times the shortage", shownBy: "small caches", reason: "Cache space costs the same as computing if one block in 100 replaces a block that is needed again." },
  highestPenalty: { value: 2, unit: "times the cost of computing", shownBy: "small caches", reason: "Limits the cost of cache space when nearly all blocks are missed." },
} as const satisfies Record<string, Constant>;

export type ConstantName = keyof typeof constantRows;

/** Values of the constants. Modules read them once, when they are loaded. */
export const constants = Object.fromEntries(
  Object.entries(constantRows).map(([name, { value }]) => [name, value]),
) as Record<ConstantName, number>;
