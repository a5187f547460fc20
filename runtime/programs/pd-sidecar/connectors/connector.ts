import type { Members } from "../request-body.ts";
import type { Target } from "../targets.ts";

export interface PrefillAnswer {
  /** Received JSON of `kv_transfer_params`; undefined if it is missing or null. */
  readonly transfer: Buffer | undefined;
}

/**
 * Members and headers that the prefill and decode requests have in addition to the members and headers of the client's
 * request.
 */
export interface Legs {
  readonly prefill: Members;
  /** Headers of the prefill request, by lower-case name. */
  readonly prefillHeaders?: Readonly<Record<string, string>>;
  /**
   * Returns the decoder's members; undefined if the prefiller has nothing to fetch, in which case the decoder prefills.
   *
   * @param onRefused receives the name of a field that may not reach the decoder
   */
  decode(answer: PrefillAnswer, onRefused: (field: string) => void): Members | undefined;
}

/** How engines transfer a KV cache: the parameters with which the prefiller and the decoder find each other. */
export interface Connector {
  /**
   * `prefill-first`: the decode request needs the prefiller's response, which contains the location of the cache.
   * `at-once`: both requests run concurrently, and the engines find each other.
   */
  readonly order: "prefill-first" | "at-once";
  /**
   * Whether the prefiller's request is changed to one token without streaming; if false, it keeps the client's token
   * limits and its `stream` field.
   */
  readonly oneToken: boolean;
  legs(prefiller: Target): Legs | Promise<Legs>;
}
