import type { Endpoint } from "../endpoints/endpoint.ts";
import type { PairHealth } from "../pairs/pair-health.ts";
import type { Chance, InFlightRequest, TokenUsage } from "../requests/request.ts";
import type { RequestHeaders } from "../requests/request-headers.ts";
import type { AnswerOutcome } from "./failures.ts";
import type { Load } from "./load.ts";
import type { ServerModels } from "./server-models.ts";

/** A request, and the load that it puts on its endpoints. */
export interface SentParts {
  readonly primary: Load;
  readonly prefillers: readonly Load[];
  readonly model: string;
  /** Address and tenant of the client, as far as known. */
  readonly clients: readonly string[];
  readonly chance: Chance;
  /** The server had no other prompt, so the time to the first token shows its speed. */
  readonly isLone: boolean;
  readonly responseHeaders: InFlightRequest["responseHeaders"];
  /** Health of prefiller-decoder pairs; undefined if no profile forms pairs. */
  readonly pairs: PairHealth | undefined;
  /** Age from which metrics are stale, in ms. */
  readonly staleAfterMs: number;
}

/** A dispatched request. Its outcome updates the health, the speed and the load of its servers. */
export class SentRequest implements InFlightRequest {
  readonly #servers: ServerModels;
  readonly #parts: SentParts;
  /** Prefiller and decoder of the request; undefined if pairs are not judged. */
  readonly #pair: readonly [prefiller: Endpoint, decoder: Endpoint] | undefined;
  #failed = false;
  /**
   * Outcomes to record if the response begins right or wrong. Undefined once one is recorded, or if the client caused
   * the failure.
   */
  #open: { readonly right?: AnswerOutcome; readonly wrong: AnswerOutcome } | undefined;

  constructor(servers: ServerModels, parts: SentParts) {
    this.#servers = servers;
    this.#parts = parts;
    const [prefiller] = parts.prefillers;
    if (prefiller !== undefined && parts.pairs !== undefined)
      this.#pair = [prefiller.endpoint, parts.primary.endpoint];
  }

  get responseHeaders(): InFlightRequest["responseHeaders"] {
    return this.#parts.responseHeaders;
  }

  answered(headers: RequestHeaders, now: number): void {
    const { primary, pairs } = this.#parts;
    const status = Number(headers.get(":status") ?? 0);
    this.#failed = status !== 200;
    this.#servers.health.answered(primary.endpoint, primary, now);
    if (status >= 500) this.#judge("failed", now);
    else if (status === 429) this.#judge("busy", now);
    else if (status === 404) this.#open = { wrong: "unknown-model" };
    else if (status < 300) this.#open = { right: "succeeded", wrong: "failed" };
    if (this.#pair !== undefined) pairs?.answered(headers, ...this.#pair, now);
  }

  /** Ends the load of the prefillers, and the prefill of the decoder. */
  firstToken(now: number, isWrong = false): void {
    const { primary, prefillers } = this.#parts;
    this.#judge(isWrong ? this.#open?.wrong : this.#open?.right, now);
    if (!this.#failed) this.#beganAlone(now);
    primary.firstToken();
    for (const prefiller of prefillers) {
      prefiller.firstToken();
      prefiller.end();
    }
  }

  end(now: number, _usage?: TokenUsage, isEmpty = false): void {
    const { primary, prefillers } = this.#parts;
    if (isEmpty) this.#judge(this.#open?.wrong, now);
    this.#left(now);
    primary.end();
    for (const prefiller of prefillers) prefiller.end();
  }

  unobserve(now: number, completed: () => void): boolean {
    const { primary, prefillers, model, clients, isLone, staleAfterMs } = this.#parts;
    // The picker must observe the response headers: they report the outcome of a prefill at another endpoint.
    if (this.#pair !== undefined) return false;
    const loads = [primary, ...prefillers];
    const areRead = loads.every(({ live: { metrics } }) => {
      return metrics?.reportsRequests === true && now - metrics.at <= staleAfterMs;
    });
    const { health } = this.#servers;
    if (!areRead || !health.mayLeave(primary.endpoint, model, now, clients)) return false;
    this.#left(now);
    primary.onEnd = completed;
    // The load is kept until the metrics show the end of the request, and would keep this request.
    if (isLone) primary.onReported = (at) => this.#beganAlone(at);
    for (const load of loads) this.#servers.unobserve(load, now);
    return true;
  }

  #left(now: number): void {
    const { primary, chance } = this.#parts;
    this.#servers.health.left(primary.endpoint, primary, { ...chance, now });
  }

  #judge(outcome: AnswerOutcome | undefined, now: number): void {
    const { primary, model, clients, chance } = this.#parts;
    if (outcome !== undefined)
      this.#servers.health.ended(primary.endpoint, model, outcome, { ...chance, now }, clients);
    this.#open = undefined;
  }

  #beganAlone(at: number): void {
    const { isLone, primary, chance } = this.#parts;
    const { live, promptTokens: tokens, began, sent } = primary;
    if (!isLone || began || live.sentRequests !== sent) return;
    this.#servers.speeds.began(live, { at, delayMs: at - chance.now, tokens });
  }
}
