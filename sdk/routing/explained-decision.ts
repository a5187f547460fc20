/** Contents of the page `/debug/explain` of an endpoint picker: how endpoints of requests were chosen. */
export interface ExplainPage {
  /** Number of decisions that the picker keeps; 0 if it keeps none. */
  readonly kept: number;
  /** Decisions on the requested request ID, the oldest first. */
  readonly decisions?: readonly ExplainedDecision[];
  /** Latest requests, the newest first. Set if no request ID was given. */
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
  /** Model name from the client. */
  readonly model: string;
  /** Model name for the model server. */
  readonly targetModel: string;
  /** `namespace/name` of the LLMService that registers the model. */
  readonly service: string | null;
  /** The InferenceModelRewrite whose rule decided. */
  readonly rewrite: string | null;
  readonly flow: { readonly fairnessId: string; readonly priority: number };
  /** Time in the queue until dispatch, in ms. Null if the request was not admitted. */
  readonly waitedMilliseconds: number | null;
  /** State of flow control for the request. Null if flow control is off. */
  readonly queue: {
    /** Priority of the request's band. */
    readonly band: number;
    /** Flow of the request within its band. */
    readonly flow: string;
    /** Saturation of the pool when the request was last considered for dispatch. Null if it never was. */
    readonly saturation: number | null;
    /** Saturation up to which the band may dispatch requests. */
    readonly ceiling: number | null;
  } | null;
  readonly candidates: ReadonlyArray<{
    /** `ip:port`. */
    readonly endpoint: string;
    readonly pod: string;
    readonly rank: number;
    /** Number of cached blocks from the start of the prompt, as estimated by the picker. */
    readonly cachedBlocks: number | null;
  }>;
  readonly prefix: { readonly blockTokens: number; readonly totalBlocks: number } | null;
  readonly profiles: readonly ExplainedProfile[];
  /** Endpoints returned to the proxy, the preferred one first. */
  readonly chosen: readonly string[];
  readonly refusal: { readonly code: string; readonly message: string } | null;
  /** Null if the picker did not observe the response. */
  readonly served: { readonly endpoint: string | null; readonly status: number } | null;
  /** Times since the first message of the request, in ms. Null if the picker did not observe the response. */
  readonly timeline: {
    /** The request was read and passed to flow control or the scheduler. */
    readonly readMilliseconds: number;
    /** The scheduler received the request. */
    readonly scheduledMilliseconds: number;
    /** The first bytes of the response body arrived. Null if the response had no body. */
    readonly firstBytesMilliseconds: number | null;
    /** The response ended. */
    readonly endMilliseconds: number;
  } | null;
}

export interface ExplainedProfile {
  readonly name: string;
  /** Endpoints that a filter excluded, with the filter's name. */
  readonly dropped: ReadonlyArray<{ readonly endpoint: string; readonly by: string }>;
  readonly scorers: ReadonlyArray<{
    readonly type: string;
    readonly name: string;
    readonly weight: number;
  }>;
  readonly scored: ReadonlyArray<{
    readonly endpoint: string;
    /** Scores from 0 to 1, in the order of `scorers`. */
    readonly scores: readonly number[];
    /**
     * Parts of the cost that each score is computed from, in prompt tokens, in the order of `scorers`. Null if the
     * scorer has no parts, if the endpoint is down, or if more than 128 endpoints were scored. Undefined if the picker
     * is of an older version.
     */
    readonly parts?: ReadonlyArray<Readonly<Record<string, number>> | null>;
    /** Sum of weight times score. */
    readonly total: number;
  }>;
  readonly picked: readonly string[];
}
