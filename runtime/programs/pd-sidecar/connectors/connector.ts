import type { Members } from "../request-body.ts";
import type { Target } from "../targets.ts";

/** What a prefiller answered. */
export interface PrefillAnswer {
  /** The JSON of `kv_transfer_params`, as it came; undefined where there is none. */
  readonly transfer: Buffer | undefined;
}

/** The two legs of a request: what each has beside what the client sent. */
export interface Legs {
  readonly prefill: Members;
  /** Headers of the prefill leg, by lower-case name. */
  readonly prefillHeaders?: Readonly<Record<string, string>>;
  /** Undefined where the answer has nothing to fetch: the decoder prefills. */
  decode(answer: PrefillAnswer): Members | undefined;
}

/** How engines hand over a KV cache: what tells each of the two where it lies. */
export interface Connector {
  /**
   * The prefiller answers first and its answer says where the cache lies; or both legs run at once, and the engines find
   * each other.
   */
  readonly order: "prefill-first" | "at-once";
  /** Whether the prefiller is asked for one token without a stream; else it gets the client's own request. */
  readonly oneToken: boolean;
  legs(prefiller: Target): Legs | Promise<Legs>;
}
