import type { Endpoint, LiveState, SentPrompt } from "../endpoint.ts";
import type { EndableLoad } from "./unobserved-requests.ts";

/** The load of a request on one endpoint, until it ends. */
export class Load implements EndableLoad, SentPrompt {
  readonly endpoint: Endpoint;
  readonly live: LiveState;
  keys: readonly Float64Array[] | undefined;
  onEnd: (() => void) | undefined;
  /** The server's metrics are the first that count its answer, which nobody watches. */
  onReported: ((at: number) => void) | undefined;
  readonly promptTokens: number;
  /** Requests that had been sent to the server then, this one among them. */
  readonly sent: number;
  readonly #streamedTokens: number;
  /** The picker saw the answer begin. */
  began = false;
  #requests = 1;
  #isPrefilled = false;

  constructor(endpoint: Endpoint, tokens: number, streaming: boolean) {
    const { live } = endpoint;
    this.endpoint = endpoint;
    this.live = live;
    this.promptTokens = tokens;
    this.#streamedTokens = streaming ? tokens : 0;
    live.runningRequests += 1;
    live.sentRequests += 1;
    this.sent = live.sentRequests;
    live.runningTokens += tokens;
    live.prompts.add(this);
    live.streamedTokens += this.#streamedTokens;
    live.sentTokens += tokens;
  }

  /** The picker saw the answer begin. */
  firstToken(): void {
    if (!this.began) this.live.firstTokens += 1;
    this.began = true;
    this.endPrefill();
  }

  /** The prefill is done. */
  endPrefill(): void {
    if (this.#isPrefilled) return;
    this.#isPrefilled = true;
    this.live.runningTokens -= this.promptTokens;
    const [first] = this.live.prompts;
    if (first === this) this.live.computedTokens = 0;
    this.live.prompts.delete(this);
    this.live.streamedTokens -= this.#streamedTokens;
  }

  firstTokenReported(at: number): void {
    this.onReported?.(at);
  }

  end(): void {
    // What nobody waited for was not computed.
    if (!this.#isPrefilled) this.live.sentTokens -= this.promptTokens;
    this.endPrefill();
    this.live.runningRequests -= this.#requests;
    this.#requests = 0;
    this.onEnd?.();
    this.onEnd = undefined;
  }
}
