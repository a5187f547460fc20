import type { Endpoint, LiveState, SentPrompt } from "../endpoints/endpoint.ts";
import type { EndableLoad } from "./unobserved-requests.ts";

/** Load of a request on one endpoint. It counts in the endpoint's live state from the construction until `end`. */
export class Load implements EndableLoad, SentPrompt {
  readonly endpoint: Endpoint;
  readonly live: LiveState;
  keys: readonly Float64Array[] | undefined;
  onEnd: (() => void) | undefined;
  /** Called with the time of the first metrics that count the first token of an unobserved response. */
  onReported: ((at: number) => void) | undefined;
  readonly promptTokens: number;
  /** Requests that were ever sent to the server, including this one. */
  readonly sent: number;
  readonly #streamedTokens: number;
  /** The picker saw the first token. */
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

  /** Records that the picker saw the first token. */
  firstToken(): void {
    if (!this.began) this.live.firstTokens += 1;
    this.began = true;
    this.endPrefill();
  }

  /** Removes the prompt from the load: the server has computed it. */
  endPrefill(): void {
    if (this.#isPrefilled) return;
    this.#isPrefilled = true;
    this.live.runningTokens -= this.promptTokens;
    const [first] = this.live.prompts;
    if (first === this) this.live.computedTokens = 0;
    this.live.prompts.delete(this);
    // Outgrown tables of `prompts` keep loads.
    this.keys = undefined;
    this.live.streamedTokens -= this.#streamedTokens;
  }

  firstTokenReported(at: number): void {
    this.onReported?.(at);
  }

  end(): void {
    // A prompt whose request ended before its first token counts as not computed.
    if (!this.#isPrefilled) this.live.sentTokens -= this.promptTokens;
    this.endPrefill();
    this.live.runningRequests -= this.#requests;
    this.#requests = 0;
    this.onEnd?.();
    this.onEnd = undefined;
    this.onReported = undefined;
  }
}
