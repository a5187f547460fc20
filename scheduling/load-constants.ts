/** A constant of load prediction. */
export interface Constant {
  readonly value: number;
  readonly unit: string;
  /** A trace of bench routing or another benchmark whose figures depend on the constant; or `none`. */
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
  requestTokens: { value: 64, unit: "tokens", shownBy: "full caches", reason: "In addition to its prompt, a request occupies a part of every step. Costs that differ by less than this count as equal." },
  leastCopyCost: { value: 1 / 11, unit: "tokens per uncached token", shownBy: "chats", reason: "With a lower value, requests leave their caches without a gain." },
  oneStepPrompt: { value: 128, unit: "tokens", shownBy: "40 prefixes, a slow pod", reason: "A prompt this short takes one step on any server, and a step of a slow server takes longer. If cached prefixes of such prompts counted, one of several idle servers would get all of them." },
  rateLearningMs: { value: 5_000, unit: "ms", shownBy: "pods come and go, 3 replicas", reason: "A new picker assumes a high request rate until it has measured it." },
  unknownSlotTokens: { value: 2_048, unit: "tokens", shownBy: "full caches", reason: "Cost of a wait for a slot before any response has ended on the server." },
  // Times, samples and amounts that several rules share.
  recentMs: { value: 10_000, unit: "ms", shownBy: "40 prefixes, slow engines", reason: "Rates, minima, failures and costs change within seconds, so older ones do not count." },
  lagMs: { value: 500, unit: "ms", shownBy: "small caches, with queues", reason: "Longest time by which metrics lag behind: a request is on its way through the proxy or in the tokenizer, or a step has not ended." },
  retryMs: { value: 7_000, unit: "ms", shownBy: "long prompts, a pod recovers", reason: "A slow or failing server gets one request in this time: one that recovers gets its share within 10 s, and probes stay below 2 % of ten requests per second." },
  startMs: { value: 1_000, unit: "ms", shownBy: "bench faults", reason: "A response begins within this time, in addition to the time to compute the prompts, and a container restarts in it." },
  inARow: { value: 3, unit: "requests", shownBy: "bench faults", reason: "One or two failures or fast responses in a row may be due to a client or to a prefix of which the picker does not know." },
  recentSamples: { value: 64, unit: "prompts, responses or steps", shownBy: "documents, 3 replicas", reason: "Conditions change with the load, so older samples count less." },
  recentRequests: { value: 512, unit: "requests", shownBy: "small caches", reason: "The mix of prompts and bands changes, so older requests count less." },
  listItems: { value: 64, unit: "items of a list", shownBy: "small caches", reason: "Checking long lists takes too long, and names that clients choose must not fill the memory." },
  fewestSamples: { value: 16, unit: "samples", shownBy: "chats", reason: "Fewer samples show too little." },
  recheckMs: { value: 200, unit: "ms", shownBy: "unequal servers, with queues", reason: "Comparing all servers or hashing a prompt at every reading takes too long. Servers with fewer prompts than for this time can compute an evicted prefix again." },
  mostPart: { value: 0.75, unit: "share", shownBy: "40 prefixes, a slow pod, 3 replicas", reason: "Part of an amount that counts if the whole is uncertain: tokens that are computed or sent by others, and the time to live of a request." },
  nearlyAll: { value: 0.92, unit: "share", shownBy: "bench overload", reason: "Servers whose load is above this share of their limit count as full, because loads vary around their mean." },
  stepTokens: { value: 1_024, unit: "tokens", shownBy: "two tenants", reason: "With this many prompt tokens, the steps of an engine are full." },
  longQueueTokens: { value: 4_096, unit: "tokens", shownBy: "documents, 3 replicas", reason: "More than the usual load of a server, and a few steps of an engine." },
  rememberedBlocks: { value: 8_192, unit: "blocks", shownBy: "chats of three tenants", reason: "Bounds the memory of a pool. A prompt of 100,000 tokens has eleven prefixes, so this covers 700 prompts." },
  // Speed of servers.
  assumedTokens: { value: 8_192, unit: "tokens", shownBy: "40 prefixes, slow engines", reason: "Weight of the assumed speed: servers compute more than this within seconds." },
  assumedMsPerToken: { value: 0.1, unit: "ms", shownBy: "40 prefixes, slow engines", reason: "Engines compute 5,000 to 20,000 prompt tokens per second." },
  speedMemory: { value: 65_536, unit: "tokens", shownBy: "a slow pod", reason: "A server's speed changes with other work on its GPU, so older tokens count less." },
  speedSample: { value: 16_384, unit: "tokens", shownBy: "documents, slow engines", reason: "A speed measured over fewer tokens is too inaccurate." },
  unequal: { value: 1.25, unit: "times other servers", shownBy: "a slow pod", reason: "Equal servers differ by less in their speed, their delays and their load." },
  usualStepMs: { value: 20, unit: "ms", shownBy: "40 prefixes, a slow pod", reason: "Besides its prompt, a first token takes one step and the rest of the step before." },
  // Prompts that other pickers sent.
  // Slots of servers.
  firstSlots: { value: 8, unit: "slots", shownBy: "documents, with queues", reason: "Every engine runs at least this many requests by default." },
  unreportedSlots: { value: 100, unit: "slots", shownBy: "none", reason: "Default of concurrency-detector if no server reports its requests." },
  usedSlots: { value: 0.95, unit: "share of the slots", shownBy: "small caches, with queues", reason: "A reading misses requests that are still on their way." },
  slotTries: { value: 4, unit: "slots", shownBy: "documents, with queues", reason: "If the server has no more slots, this many requests wait there." },
  slotWaitSteps: { value: 2, unit: "steps", shownBy: "few sequences", reason: "A request may wait through one step for other reasons, such as a KV cache from a prefiller." },
  paceRequests: { value: 2, unit: "requests", shownBy: "bench overload", reason: "One long prompt slows all responses, so a server with fewer requests is never full by its pace." },
  // Requests whose responses the picker does not observe.
  leastTokensPerMs: { value: 1, unit: "tokens per ms", shownBy: "documents, slow engines", reason: "Every server computes at least this number of tokens per ms." },
  // Health of servers.
  backoffJitter: { value: 0.15, unit: "share of the delay", shownBy: "bench faults", reason: "Prevents several pickers from probing at the same time." },
  unreadMs: { value: 2_000, unit: "ms", shownBy: "bench faults", reason: "Older metrics do not show the server's present state." },
  stallFactor: { value: 4, unit: "times the expected time to compute the prompts", shownBy: "bench faults", reason: "A server may be slower than the usual speed of the pool." },
  suspectPart: { value: 0.1, unit: "failures", shownBy: "bench faults", reason: "Weight of a failure whose source fails on most servers. Thirty such failures in a row still eject a server." },
  mostNames: { value: 1_000, unit: "clients or models", shownBy: "bench attacks", reason: "The number of clients must be bounded." },
  // Waits for a cheaper server, and slots that are reserved for higher bands.
  rareBand: { value: 0.01, unit: "share of the requests", shownBy: "bench overload", reason: "Rarer bands are not worth an unused slot." },
  expectedAnswerPart: { value: 0.25, unit: "share of the expected answer", shownBy: "bench overload", reason: "Best of 0, 0.1, 0.25, 0.5, 0.7, 1, 2 and 4 with responses of 100 and 1,000 tokens." },
  // Prefixes in the caches of servers.
  repeatedPart: { value: 0.3, unit: "share of the tokens", shownBy: "documents, with queues", reason: "If few prompts are repeated, a wait of a cold prompt saves nothing." },
  reuseGaps: { value: 5, unit: "times the mean time between two uses", shownBy: "agent sessions, full caches, with queues", reason: "Think times are uneven: with 2, half of the gain is lost; with 8, prompts wait although there is capacity for them." },
  heldPart: { value: 0.02, unit: "share of a server's cache", shownBy: "agents and chats, full caches, with queues", reason: "A shorter prompt evicts so little that its wait costs more." },
  longestReuseMs: { value: 60_000, unit: "ms", shownBy: "agent sessions, full caches, with queues", reason: "No prompt should wait to keep a prefix that is not used for a minute." },
  recentBlocks: { value: 2_000, unit: "blocks", shownBy: "small caches", reason: "Detects a shortage of cache, or that prompts do not repeat, after a few prompts." },
  leastBlockTokens: { value: 64, unit: "tokens", shownBy: "bench epp", reason: "Smaller blocks take more time to hash and add little precision." },
  secondCopyWorth: { value: 2, unit: "times a further copy", shownBy: "few sequences", reason: "With two servers to choose from, a request need not wait for the busy one (the power of two choices, Mitzenmacher, 2001)." },
  penaltyPerShortage: { value: 100, unit: "times the shortage", shownBy: "small caches", reason: "Cache space costs the same as computing if one block in 100 replaces a block that is needed again." },
} as const satisfies Record<string, Constant>;

export type ConstantName = keyof typeof constantRows;

/** Values of the constants. Modules read them once, when they are loaded. */
export const constants = Object.fromEntries(
  Object.entries(constantRows).map(([name, { value }]) => [name, value]),
) as Record<ConstantName, number>;
