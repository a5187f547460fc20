import { hash } from "node:crypto";
import { limits } from "../../limits.ts";
import type { Payload } from "../payload/payload.ts";
import { changedBody } from "../payload/splice.ts";
import type { TokenQuestion } from "../payload/token-input.ts";
import { TokenCache, type Tokens } from "./token-cache.ts";
import type { TokenizeRequest } from "./token-client.ts";

/** Source of the tokens of a prompt, or the reason why there are none. */
export const tokenOutcomes = [
  "client",
  "cached",
  "server",
  "failed",
  "timeout",
  "skipped",
] as const;
export type TokenOutcome = (typeof tokenOutcomes)[number];

export interface PromptTokenizerOptions {
  readonly client: { tokens(asked: TokenizeRequest): Promise<number[][]> };
  /** Returns the next server to send a request to; undefined if there is none. */
  readonly nextOrigin: () => string | undefined;
  /** Reports whether tokens are used: whether the index is subscribed to an engine. */
  readonly isNeeded: () => boolean;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly onOutcome: (outcome: TokenOutcome) => void;
  readonly onFailure: (error: Error) => void;
}

export interface TokenizedRequest {
  readonly payload: Payload;
  readonly targetModel: string;
}

/** Consecutive failures after which no requests are sent for a time. */
const toleratedFailures = 3;
const longestPauseMs = 30_000;

/**
 * Finds the tokens of requests: sent by the client, cached, or requested from a server, within a time and a budget.
 * While the servers fail, requests do not wait for tokens.
 */
export class PromptTokenizer {
  readonly #options: PromptTokenizerOptions;
  readonly #cache = new TokenCache(limits.tokenCache.value);
  /** Pending token requests; equal prompts share one. */
  readonly #asking = new Map<string, Promise<Tokens | undefined>>();
  #failures = 0;
  #askedAgainAt = 0;
  /** Reason of the last failure; undefined after a success. */
  problem: string | undefined;

  constructor(options: PromptTokenizerOptions) {
    this.#options = options;
  }

  /**
   * Returns the tokens of each prompt, or a promise of them, or undefined if there are none. The promise never rejects.
   */
  tokensOf({
    payload,
    targetModel,
  }: TokenizedRequest): ReadonlyArray<ArrayLike<number>> | Promise<Tokens | undefined> | undefined {
    const { onOutcome, isNeeded } = this.#options;
    if (!isNeeded()) return undefined;
    const input = payload.tokenInput;
    if (input?.kind === "tokens") {
      onOutcome("client");
      return input.tokens;
    }
    if (input === undefined || payload.body.length > limits.tokenizedBody.value) {
      onOutcome("skipped");
      return undefined;
    }
    const key = keyOf(targetModel, input.question, payload.body);
    const known = this.#cache.get(key);
    if (known !== undefined) {
      onOutcome("cached");
      return known;
    }
    const asking = this.#asking.get(key) ?? this.#ask(key, payload, targetModel, input.question);
    if (asking === undefined) onOutcome("skipped");
    return asking;
  }

  #ask(
    key: string,
    payload: Payload,
    model: string,
    question: TokenQuestion,
  ): Promise<Tokens | undefined> | undefined {
    const { nextOrigin, now } = this.#options;
    if (this.#asking.size >= limits.tokenQuestions.value || now() < this.#askedAgainAt)
      return undefined;
    const origin = nextOrigin();
    if (origin === undefined) return undefined;
    const body = changedBody(payload, { model, withoutEngineFields: true });
    const asking = this.#answer({ origin, question, model, body }).then((tokens) => {
      this.#asking.delete(key);
      if (tokens !== undefined) this.#cache.set(key, tokens);
      return tokens;
    });
    this.#asking.set(key, asking);
    return asking;
  }

  async #answer(asked: Omit<TokenizeRequest, "signal">): Promise<Tokens | undefined> {
    const { client, timeoutMs, onOutcome, onFailure } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      const tokens = await client.tokens({ ...asked, signal: late.signal });
      this.#failures = 0;
      this.problem = undefined;
      onOutcome("server");
      return tokens.map((list) => Uint32Array.from(list));
    } catch (error) {
      const failure = late.signal.aborted
        ? new Error(`${asked.origin}: no tokens within ${timeoutMs} ms`)
        : new Error(`${asked.origin}: ${(error as Error).message}`);
      this.#failed(failure);
      onOutcome(late.signal.aborted ? "timeout" : "failed");
      onFailure(failure);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #failed(failure: Error): void {
    this.problem = failure.message;
    this.#failures += 1;
    const beyond = this.#failures - toleratedFailures;
    if (beyond < 0) return;
    const pause = Math.min(longestPauseMs, 1_000 * 2 ** Math.min(beyond, 10));
    this.#askedAgainAt = this.#options.now() + pause;
  }
}

/** Returns the cache key: requests with the same key have the same tokens, because no other field affects them. */
function keyOf(model: string, { renderPath, tokenize }: TokenQuestion, body: Buffer): string {
  const parts = tokenize?.flatMap(([name, value]) => [Buffer.from(`\0${name}\0`), value]) ?? [body];
  return hash(
    "sha256",
    Buffer.concat([Buffer.from(`${model}\0${renderPath}`), ...parts]),
    "base64",
  );
}
