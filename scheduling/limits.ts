/** A bound on the cost of one request or one model server. */
export interface Limit {
  readonly value: number;
  /** Default: a count. */
  readonly unit?: "bytes" | "characters" | "ms";
  /** Flag that changes the limit. Undefined if the limit is fixed. */
  readonly flag?: `--${string}`;
  /** The limited quantity, as a noun phrase. */
  readonly of: string;
  /** Effect of exceeding the limit, and the reason for the limit. */
  readonly beyond: string;
}

/** The limits of the scheduler. */
export const limits = {
  prefixBlocks: {
    value: 16_384,
    of: "Blocks of all prompts of a request for which cached prefixes are looked up: 1,048,576 tokens in blocks of 64",
    beyond: "Further prompts are passed to the model server, and count as tokens.",
  },
  cacheBlockTokens: {
    value: 4_096,
    of: "Tokens per cache block that a model server reports",
    beyond:
      "The value is ignored. The most common accepted size in a pool applies to all its servers.",
  },
  cacheBlocks: {
    value: 262_144,
    of: "Cache blocks that the picker stores for a model server, whatever the server reports",
    beyond: "The blocks that have not been used for the longest time are forgotten.",
  },
  cacheBlocksOfPool: {
    value: 4_194_304,
    of: "Cache blocks that the picker stores for all servers of a pool, in equal shares",
    beyond: "As for one server. A block takes about 28 bytes.",
  },
  sessions: {
    value: 100_000,
    of: "Sessions that session affinity stores",
    beyond: "The session that has not been used for the longest time is forgotten.",
  },
  sessionId: {
    value: 128,
    unit: "characters",
    of: "Length of a session id that is stored unchanged",
    beyond: "The picker stores a hash of the id.",
  },
  idleFlows: {
    value: 10_000,
    of: "Flows without requests that flow control stores, with their debt",
    beyond:
      "The flow that has been idle for the longest time is forgotten; each flow is forgotten after five idle minutes.",
  },
  requestsSetAside: {
    value: 256,
    of: "Requests that others may pass in one turn because their endpoints are full",
    beyond: "The turn ends.",
  },
  explainedEndpoints: {
    value: 128,
    of: "Endpoints whose cost parts a decision in `/debug/explain` contains",
    beyond:
      "If more endpoints pass the filters, the decision contains only their scores. A record of 128 takes about 5 µs and 6 KB.",
  },
} as const satisfies Record<string, Limit>;
