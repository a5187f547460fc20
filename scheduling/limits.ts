/** A bound on what one request or one model server can cost. */
export interface Limit {
  readonly value: number;
  readonly unit: "bytes" | "characters" | "ms" | "count";
  /** Flag that changes it; without one it is fixed. */
  readonly flag?: `--${string}`;
  /** What is limited, as the subject of a sentence. */
  readonly of: string;
  /** What becomes of what is beyond, and why the limit is there. */
  readonly beyond: string;
}

/** The limits of the scheduler. */
export const limits = {
  prefixBlocks: {
    value: 4_096,
    unit: "count",
    of: "Blocks of all prompts of a request for which a server's cache is sought",
    beyond: "They go on to the model server, and count as tokens.",
  },
  cacheBlockTokens: {
    value: 4_096,
    unit: "count",
    of: "Tokens of a cache block, as a model server says",
    beyond:
      "Not believed. Of those that are, the size that most servers of a pool say counts for all.",
  },
  cacheBlocks: {
    value: 262_144,
    unit: "count",
    of: "Blocks of a model server's cache that are remembered, whatever it says",
    beyond: "The blocks that were used longest ago are forgotten.",
  },
  cacheBlocksOfPool: {
    value: 4_194_304,
    unit: "count",
    of: "Those of all servers of a pool together, in equal shares",
    beyond: "Some 24 bytes each.",
  },
  sessions: {
    value: 100_000,
    unit: "count",
    of: "Sessions that session affinity remembers",
    beyond: "The one that was used longest ago is forgotten.",
  },
  sessionId: {
    value: 128,
    unit: "characters",
    of: "The id of a session that is kept as it is",
    beyond: "Its hash takes its place.",
  },
  idleFlows: {
    value: 10_000,
    unit: "count",
    of: "Flows without requests that flow control remembers, with what they owe",
    beyond: "The one that has been idle for longest is forgotten; each is after five minutes.",
  },
  requestsSetAside: {
    value: 256,
    unit: "count",
    of: "Requests that others may pass in one turn, since the endpoints that they may go to are full",
    beyond: "The turn ends.",
  },
} as const satisfies Record<string, Limit>;
