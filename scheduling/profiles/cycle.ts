import type { Endpoint, ModelServerMetrics } from "../endpoints/endpoint.ts";
import type { PrefixCache, PrefixMatch } from "../prefix-cache/prefix-match.ts";
import { promptTokens } from "../requests/prompt-tokens.ts";
import type { Chance, SchedulingRequest } from "../requests/request.ts";
import type { ProfileResult } from "./profile-result.ts";

export interface CycleParts extends Pick<Cycle, "request" | "candidates" | "chance"> {
  /** Default: all candidates. */
  readonly fit?: readonly Endpoint[];
  /** Default: unknown. */
  readonly clients?: readonly string[];
  /** Maximum age of metrics, in ms. */
  readonly staleAfterMs: number;
  /** The cache that determines the uncached tokens of a prompt. If undefined, all tokens count as uncached. */
  readonly counting: PrefixCache | undefined;
}

/** One scheduling cycle of a request. Values that several plugins read are computed on first use. */
export class Cycle {
  readonly request: SchedulingRequest;
  readonly chance: Chance;
  /** All candidates, before any filter. */
  readonly candidates: readonly Endpoint[];
  /** The candidates that are not ejected. */
  readonly fit: readonly Endpoint[];
  /** Address and tenant of the client, as far as known. */
  readonly clients: readonly string[];
  /** Results of the profiles that ran and found an endpoint, by profile name. */
  readonly results = new Map<string, ProfileResult>();
  readonly #staleAfterMs: number;
  readonly #counting: PrefixCache | undefined;
  readonly #matches = new Map<PrefixCache, PrefixMatch>();
  #promptTokens: number | undefined;

  constructor(parts: CycleParts) {
    const { request, candidates, fit, clients, chance, staleAfterMs, counting } = parts;
    this.request = request;
    this.candidates = candidates;
    this.fit = fit ?? candidates;
    this.clients = clients ?? [];
    this.chance = chance;
    this.#staleAfterMs = staleAfterMs;
    this.#counting = counting;
  }

  /** Returns an endpoint's metrics, or undefined if they are missing or stale. */
  metrics({ live }: Endpoint): ModelServerMetrics | undefined {
    const { metrics } = live;
    if (metrics === undefined || this.chance.now - metrics.at > this.#staleAfterMs)
      return undefined;
    return metrics;
  }

  /** Estimated tokens of the request's prompts. */
  get promptTokens(): number {
    this.#promptTokens ??= promptTokens(this.request);
    return this.#promptTokens;
  }

  /** Returns the estimated prompt tokens that the endpoint would have to compute. */
  uncachedTokens(endpoint: Endpoint): number {
    return this.#counting === undefined
      ? this.promptTokens
      : this.prefix(this.#counting).uncachedTokens(endpoint);
  }

  prefix(cache: PrefixCache): PrefixMatch {
    const known = this.#matches.get(cache);
    if (known !== undefined) return known;
    const match = cache.match(this.request, this.candidates);
    this.#matches.set(cache, match);
    return match;
  }
}
