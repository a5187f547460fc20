/** A constant of load prediction. */
export interface Constant {
  readonly value: number;
  readonly unit: string;
  /** A trace of bench:routing, or another bench, whose figures depend on its rule; or `none`. */
  readonly shownBy: string;
  readonly reason: string;
}

/** All constants of load prediction, one per line. docs/load-prediction.md has the same table. */
// biome-ignore format: a row is a line
export const constantRows = {
  // Cost of a request on a server.
  recomputeFactor: { value: 2, unit: "tokens per uncached token", shownBy: "400 prefixes", reason: "Computing a token takes time, and drops another one from the cache." },
  copyAmortizationSeconds: { value: 4, unit: "s", shownBy: "agents", reason: "A second copy of a prefix saves waiting, and waits pass." },
  copyAmortizationRequests: { value: 40, unit: "requests", shownBy: "a long shared prompt", reason: "With 0, one server gets all requests with a shared prompt." },
  requestTokens: { value: 64, unit: "tokens", shownBy: "full caches", reason: "A request takes a part of every step besides its prompt." },
  leastCopyCost: { value: 1 / 8, unit: "tokens per uncached token", shownBy: "chats", reason: "With less, requests leave their caches for nothing." },
  copyHalvingTokens: { value: 512, unit: "tokens per server", shownBy: "chats", reason: "Servers with as many tokens to compute have other work to do before copies, which cost twice as much." },
  slowStepTokens: { value: 128, unit: "tokens", shownBy: "40 prefixes, a slow pod", reason: "A step of a slow server takes longer, also without a prompt." },
  oneStepPrompt: { value: 128, unit: "tokens", shownBy: "none", reason: "A prompt this short takes one step on any server. If its cache counted, one of several idle servers would get all of them." },
  rateLearningMs: { value: 5_000, unit: "ms", shownBy: "pods come and go, 3 replicas", reason: "A new picker takes the rate of requests for high until it has seen it." },
  costGrain: { value: 64, unit: "tokens", shownBy: "chats", reason: "Costs that differ by less are equal, and the picker draws among these servers." },
  unknownSlotTokens: { value: 2_048, unit: "tokens", shownBy: "full caches", reason: "Cost of a wait for a slot before any answer has ended on the server." },
  // Speed of servers.
  assumedTokens: { value: 8_192, unit: "tokens", shownBy: "40 prefixes, slow engines", reason: "Weight of the assumed speed: servers have computed more after some seconds." },
  assumedMsPerToken: { value: 0.1, unit: "ms", shownBy: "40 prefixes, slow engines", reason: "Engines compute 5,000 to 20,000 prompt tokens per second." },
  fullStepTokens: { value: 1_024, unit: "tokens", shownBy: "two tenants", reason: "With as many prompt tokens to compute, a server's steps are full: requests wait for these and not for a slot." },
  speedMemory: { value: 65_536, unit: "tokens", shownBy: "a slow pod", reason: "The speed of a server changes with other work on its GPU, so that older tokens count less." },
  speedSample: { value: 16_384, unit: "tokens", shownBy: "a slow pod", reason: "A speed measured over fewer tokens is too rough." },
  unequalSpeed: { value: 1.25, unit: "times the others' ms per token", shownBy: "a slow pod", reason: "Measured speeds of equal servers differ by less." },
  highestSlowness: { value: 8, unit: "times the others' ms per token", shownBy: "a slow pod", reason: "A wrong measurement must not exclude a server." },
  usualStepMs: { value: 20, unit: "ms", shownBy: "40 prefixes, a slow pod", reason: "A first token takes a step, and the end of the one before, besides its prompt." },
  delayPrompt: { value: 512, unit: "tokens", shownBy: "40 prefixes, a slow pod", reason: "Prompts of at most this length take one step or two, so that their delay shows the server's speed." },
  delaySamples: { value: 64, unit: "answers", shownBy: "40 prefixes, a slow pod", reason: "Newest answers of a server. Their median ignores a lost prefix or one long step." },
  fewestDelays: { value: 16, unit: "answers", shownBy: "40 prefixes, a slow pod", reason: "A median of fewer answers is too rough." },
  delayMemoryMs: { value: 60_000, unit: "ms", shownBy: "40 prefixes, a slow pod", reason: "Without an answer for as long, the delay of a server has to be measured again." },
  slowRetryMs: { value: 4_000, unit: "ms", shownBy: "bench:faults", reason: "A slow server that recovers gets its share within 10 s; one that stays slow gets one request in this time." },
  unequalDelay: { value: 1.5, unit: "times the others' delay", shownBy: "40 prefixes, a slow pod", reason: "A server with more answers to write takes longer steps." },
  delayComparisonMs: { value: 1_000, unit: "ms", shownBy: "40 prefixes, a slow pod", reason: "Sorting the answers of all servers takes too long for every reading." },
  computedPart: { value: 0.75, unit: "share of the prompt", shownBy: "documents, slow engines", reason: "The rest of a prompt may take any time until its answer begins." },
  // Prompts that other pickers sent.
  othersSamples: { value: 256, unit: "prompts", shownBy: "documents, 3 replicas", reason: "Gateways spread requests evenly, so that others' prompts are as long as this picker's newest." },
  longestStepMs: { value: 500, unit: "ms", shownBy: "documents, 3 replicas", reason: "Equal metrics that are further apart are of different steps." },
  stepMemory: { value: 64, unit: "steps", shownBy: "documents, 3 replicas", reason: "Steps get longer with the load, so that older ones count less." },
  leastWindowMs: { value: 10_000, unit: "ms", shownBy: "documents, 3 replicas", reason: "Servers do not count broken-off answers as ended, so that an older minimum is too low." },
  // Slots of servers.
  firstSlots: { value: 8, unit: "slots", shownBy: "documents, with queues", reason: "No engine works on fewer requests by default." },
  untoldSlots: { value: 100, unit: "slots", shownBy: "none", reason: "Default of concurrency-detector, if no server reports its requests." },
  usedSlots: { value: 0.95, unit: "share of the slots", shownBy: "small caches, with queues", reason: "A reading misses requests that are on their way." },
  slotPatienceMs: { value: 500, unit: "ms", shownBy: "small caches, with queues", reason: "After this time more slots are tried although readings miss requests on their way or in the tokenizer." },
  slotTries: { value: 4, unit: "slots", shownBy: "documents, with queues", reason: "As many requests wait at once if the server has no more slots." },
  firstTryPauseMs: { value: 500, unit: "ms", shownBy: "bench:overload", reason: "Pause between two tries of more slots at first; it doubles while they fail." },
  longestTryPauseMs: { value: 16_000, unit: "ms", shownBy: "bench:overload", reason: "A try that fails makes a request wait until an answer ends." },
  slotWaitSteps: { value: 2, unit: "steps", shownBy: "few sequences", reason: "A request may wait through one step for other reasons, such as a KV cache from a prefiller." },
  rateMemoryMs: { value: 10_000, unit: "ms", shownBy: "40 prefixes, slow engines", reason: "Rates of arrivals and ended answers change within seconds, so that older ones count less." },
  paceWindowMs: { value: 400, unit: "ms", shownBy: "bench:overload", reason: "About ten steps: one step with a prompt does not count alone." },
  paceAim: { value: 0.92, unit: "share of the objective", shownBy: "bench:overload", reason: "The time between tokens varies by some percent around its mean." },
  paceRequests: { value: 2, unit: "requests", shownBy: "bench:overload", reason: "One long prompt slows all answers, so that a server with fewer requests is never full by its pace." },
  // Requests whose responses the picker does not see.
  proxyMs: { value: 500, unit: "ms", shownBy: "bench:routing:live", reason: "A request may take as long through the proxy." },
  arrivalMs: { value: 10_000, unit: "ms", shownBy: "bench:routing:live", reason: "A server under load needs time to read a request and to tokenize its prompt." },
  leastTokensPerMs: { value: 1, unit: "tokens per ms", shownBy: "bench:routing:live", reason: "Every server computes at least as many." },
  // Health of servers.
  failuresInARow: { value: 3, unit: "requests", shownBy: "bench:faults", reason: "One or two failures in a row may be caused by a client's requests." },
  firstBackoffMs: { value: 1_000, unit: "ms", shownBy: "bench:faults", reason: "A container needs about that long to restart." },
  backoffFactor: { value: 3, unit: "times the delay before", shownBy: "bench:faults", reason: "With 2, probes are more than 2 % of ten requests a second." },
  longestBackoffMs: { value: 7_000, unit: "ms", shownBy: "bench:faults", reason: "A server that recovers gets its share within 10 s, and probes stay below 2 % of ten requests a second." },
  backoffJitter: { value: 0.15, unit: "share of the delay", shownBy: "bench:faults", reason: "Several pickers do not probe together." },
  unseenReadings: { value: 10, unit: "readings of the metrics", shownBy: "bench:faults", reason: "A request takes up to 500 ms to its server under load, and pages are read every 50 ms." },
  unreadMs: { value: 2_000, unit: "ms", shownBy: "bench:faults", reason: "Metrics that old do not show what the server does now." },
  stallMs: { value: 1_000, unit: "ms", shownBy: "bench:faults", reason: "Longest time without progress, besides the time to compute the prompts." },
  stallFactor: { value: 4, unit: "times the expected time to compute the prompts", shownBy: "bench:faults", reason: "A server may be slower than the pool's usual speed." },
  failingModels: { value: 64, unit: "models per server", shownBy: "bench:attacks", reason: "Clients choose the names of models." },
  // Waits for a cheaper server, and slots that are left to higher bands.
  leastSaving: { value: 1_024, unit: "tokens", shownBy: "full caches, with queues", reason: "An engine's step computes as many besides its other work." },
  waitFactor: { value: 2, unit: "tokens per uncached token", shownBy: "40 prefixes, slow engines, with queues", reason: "A token that is computed drops from the cache what other requests need." },
  shortWaitTokens: { value: 4_096, unit: "tokens", shownBy: "full caches, with queues", reason: "Two steps of an engine are a short wait." },
  longestWaitMs: { value: 5_000, unit: "ms", shownBy: "40 prefixes, slow engines, with queues", reason: "No client waits forever for a slot that only its request wants." },
  longestContestedWaitMs: { value: 10_000, unit: "ms", shownBy: "40 prefixes, slow engines, with queues", reason: "Other requests may want the slot, and cost less there." },
  pressedServers: { value: 0.9, unit: "mean load of servers", shownBy: "bench:overload", reason: "Below it servers have free slots, and higher bands need none left to them." },
  bandMemory: { value: 500, unit: "requests", shownBy: "bench:overload", reason: "The mix of bands changes, so that older requests count less." },
  rareBand: { value: 0.01, unit: "share of the requests", shownBy: "bench:overload", reason: "Rarer bands are not worth an unused slot." },
  answerSamples: { value: 50, unit: "answers", shownBy: "bench:overload", reason: "A flow's turns must not follow each single answer." },
  expectedAnswerPart: { value: 0.25, unit: "share of the expected answer", shownBy: "bench:overload", reason: "Best of 0, 0.1, 0.25, 0.5, 0.7, 1, 2 and 4 with answers of 100 and 1,000 tokens." },
  longestPromptMs: { value: 1_000, unit: "ms", shownBy: "bench:overload", reason: "A prompt takes as long, so that a request of unknown cost has cost as much as others." },
  // Prefixes in the caches of servers.
  leastSentByOthers: { value: 0.25, unit: "share of unknown tokens", shownBy: "40 prefixes, a slow pod, 3 replicas", reason: "Without it, replicas that read the same metrics choose alike." },
  mostSentByOthers: { value: 0.75, unit: "share of unknown tokens", shownBy: "40 prefixes, a slow pod, 3 replicas", reason: "With more, prompts that are new to all replicas crowd at their homes." },
  mostTokensByOthers: { value: 4_096, unit: "tokens", shownBy: "documents, 3 replicas", reason: "Outweighs a busy home, and not one that computes a document." },
  reuseMemory: { value: 200_000, unit: "tokens", shownBy: "400 prefixes, 3 replicas", reason: "Over 50,000, first uses of many prefixes look like prompts that do not come again." },
  shortageMemory: { value: 4_000, unit: "blocks", shownBy: "small caches", reason: "Shows a shortage after a few prompts." },
  droppedSamples: { value: 64, unit: "blocks per prompt", shownBy: "small caches", reason: "Looking for all dropped blocks on all servers takes too long." },
  blockSizeSamples: { value: 64, unit: "servers", shownBy: "bench:pods", reason: "As many show the block size of most servers." },
  leastBlockTokens: { value: 64, unit: "tokens", shownBy: "bench:epp", reason: "Smaller blocks take more time to hash, and show little more." },
  shareSamples: { value: 8, unit: "blocks per prompt", shownBy: "bench:epp", reason: "The mean over some blocks is close to the mean over all." },
  secondCopyWorth: { value: 2, unit: "times a further copy", shownBy: "few sequences", reason: "With two servers to choose from, a request need not wait for the busy one (the power of two choices, Mitzenmacher, 2001)." },
  homeLoad: { value: 1.25, unit: "times the mean load", shownBy: "400 prefixes, 3 replicas", reason: "New prompts do not crowd on a server that is much fuller than others." },
  leastHomeExcess: { value: 500, unit: "tokens", shownBy: "documents, 3 replicas", reason: "A home may be fuller by what the prompt takes to compute elsewhere, which is at least this." },
  mostHomeExcess: { value: 4_096, unit: "tokens", shownBy: "400 prefixes, 3 replicas", reason: "With 500 for all prompts, prefixes of 2,000 tokens leave their homes too early." },
  popularityCounters: { value: 8_192, unit: "counters per row, a power of two", shownBy: "chats of three tenants", reason: "Two rows take 32 KB per pool." },
  popularityMemory: { value: 512, unit: "prompts", shownBy: "small caches", reason: "Prompts change, so that older ones count half." },
  unseenPrompts: { value: 32, unit: "prompts", shownBy: "chats", reason: "The first few prompts do not show what others begin with." },
  leastShortage: { value: 0.002, unit: "share of blocks", shownBy: "small caches", reason: "With less, caches have room for second copies." },
  rentPerShortage: { value: 100, unit: "times the shortage", shownBy: "small caches", reason: "Room costs as much as computing if one block in 100 takes the place of one that is missed." },
  highestRent: { value: 2, unit: "times the cost of computing", shownBy: "small caches", reason: "Bounds the cost of room when nearly all blocks are missed." },
} as const satisfies Record<string, Constant>;

export type ConstantName = keyof typeof constantRows;

/** Values of the constants. Modules read them when they are loaded, and not for each request. */
export const constants = Object.fromEntries(
  Object.entries(constantRows).map(([name, { value }]) => [name, value]),
) as Record<ConstantName, number>;
