/** What page `/debug/explain` of an endpoint picker tells: how the endpoints of requests were found. */
export interface ExplainPage {
  /** Decisions that the picker keeps; 0 where it keeps none. */
  readonly kept: number;
  /** The decisions on the request that was asked for, the oldest first. */
  readonly decisions?: readonly ExplainedDecision[];
  /** The last requests, the newest first, if none was asked for. */
  readonly last?: ReadonlyArray<{
    readonly requestId: string;
    readonly ageMilliseconds: number;
    readonly model: string;
    readonly chosen: string | null;
  }>;
}

export interface ExplainedDecision {
  readonly requestId: string;
  readonly ageMilliseconds: number;
  /** As the client named it. */
  readonly model: string;
  /** As the model server is asked for it. */
  readonly targetModel: string;
  /** `namespace/name` of the LLMService that registers the model. */
  readonly service: string | null;
  /** The InferenceModelRewrite whose rule decided. */
  readonly rewrite: string | null;
  readonly flow: { readonly fairnessId: string; readonly priority: number };
  /** Until it was let in; null where it was not. */
  readonly waitedMilliseconds: number | null;
  /** What flow control knew of it; null where requests do not wait. */
  readonly queue: {
    /** The priority whose band it waited in. */
    readonly band: number;
    /** The flow that it shared the band's turns with. */
    readonly flow: string;
    /** How full the pool was when it was last the request's turn; null where it never was. */
    readonly saturation: number | null;
    /** The saturation up to which the band is open. */
    readonly ceiling: number | null;
  } | null;
  readonly candidates: ReadonlyArray<{
    /** `ip:port`. */
    readonly endpoint: string;
    readonly pod: string;
    readonly rank: number;
    /** Blocks from the prompt's start that it has, as the picker estimates. */
    readonly cachedBlocks: number | null;
  }>;
  readonly prefix: { readonly blockTokens: number; readonly totalBlocks: number } | null;
  readonly profiles: readonly ExplainedProfile[];
  /** The endpoints that the proxy was told, the likeliest first. */
  readonly chosen: readonly string[];
  readonly refusal: { readonly code: string; readonly message: string } | null;
  /** Null where the picker did not see the response. */
  readonly served: { readonly endpoint: string | null; readonly status: number } | null;
  /** Times since the first message of the request, in ms; null if the picker did not see the response. */
  readonly timeline: {
    /** The request was read, and flow control or the scheduler got it. */
    readonly readMilliseconds: number;
    /** The scheduler got it. */
    readonly scheduledMilliseconds: number;
    /** The first bytes of the response's body came; null if it had none. */
    readonly firstBytesMilliseconds: number | null;
    /** The response ended. */
    readonly endMilliseconds: number;
  } | null;
}

export interface ExplainedProfile {
  readonly name: string;
  /** Endpoints that a filter left out, by the filter's name. */
  readonly dropped: ReadonlyArray<{ readonly endpoint: string; readonly by: string }>;
  readonly scorers: ReadonlyArray<{
    readonly type: string;
    readonly name: string;
    readonly weight: number;
  }>;
  readonly scored: ReadonlyArray<{
    readonly endpoint: string;
    /** From 0 to 1, in the order of the scorers. */
    readonly scores: readonly number[];
    /** Sum of weight times score. */
    readonly total: number;
  }>;
  readonly picked: readonly string[];
}
