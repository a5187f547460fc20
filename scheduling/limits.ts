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
    of: "Blocks of all prompts of a request that are looked up in the prefix index",
    beyond: "Further blocks are forwarded, and count as tokens.",
  },
  cacheBlockTokens: {
    value: 4_096,
    unit: "count",
    of: "Tokens of a cache block, as reported by a model server",
    beyond:
      "The value is ignored. The pool uses the accepted size that most of its servers report.",
  },
  cacheBlocks: {
    value: 262_144,
    unit: "count",
    of: "Blocks of a model server's cache that the picker remembers, regardless of the size that the server reports",
    beyond: "The least recently used blocks are forgotten.",
  },
  cacheBlocksOfPool: {
    value: 4_194_304,
    unit: "count",
    of: "Blocks of all servers of a pool together, in equal shares",
    beyond: "Each takes about 24 bytes.",
  },
  sessions: {
    value: 100_000,
    unit: "count",
    of: "Sessions that session affinity remembers",
    beyond: "The least recently used session is forgotten.",
  },
  sessionId: {
    value: 128,
    unit: "characters",
    of: "The id of a session that is used unchanged",
    beyond: "Its hash is used instead.",
  },
  idleFlows: {
    value: 10_000,
    unit: "count",
    of: "Idle flows that flow control remembers, with their used shares",
    beyond:
      "The flow that has been idle for longest is forgotten. Every flow is forgotten after five minutes.",
  },
  requestsSetAside: {
    value: 256,
    unit: "count",
    of: "Requests that later requests may overtake in one turn, because all their allowed endpoints are full",
    beyond: "The turn ends.",
  },
} as const satisfies Record<string, Limit>;
