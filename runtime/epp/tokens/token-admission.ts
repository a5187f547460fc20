import { RequestError } from "../../../scheduling/requests/request-error.ts";
import type { AdmissionPolicy, Waiter, WaitingRequest } from "../request-path/admit.ts";
import type { PendingRequest, RoutedRequest } from "../request-path/pending-request.ts";
import type { PromptTokenizer } from "./prompt-tokenizer.ts";

/** Delays a request until its tokens are known, then passes it to the next policy. */
export class TokenAdmission implements AdmissionPolicy {
  readonly queues = true;
  readonly #tokenizer: PromptTokenizer;
  readonly #next: AdmissionPolicy;

  constructor(tokenizer: PromptTokenizer, next: AdmissionPolicy) {
    this.#tokenizer = tokenizer;
    this.#next = next;
  }

  admit(pending: PendingRequest, waiter: Waiter): RoutedRequest | WaitingRequest {
    const tokens = this.#tokenizer.tokensOf(pending.request);
    if (tokens instanceof Promise) return this.#later(tokens, pending, waiter);
    if (tokens !== undefined) pending.useTokens(tokens);
    return this.#next.admit(pending, waiter);
  }

  #later(
    asked: Promise<ReadonlyArray<ArrayLike<number>> | undefined>,
    pending: PendingRequest,
    waiter: Waiter,
  ): WaitingRequest {
    let cancelled = false;
    let waiting: WaitingRequest | undefined;
    void asked.then((tokens) => {
      if (cancelled) return;
      try {
        if (tokens !== undefined) pending.useTokens(tokens);
        const admitted = this.#next.admit(pending, waiter);
        if ("cancel" in admitted) waiting = admitted;
        else waiter.routed(admitted);
      } catch (error) {
        if (error instanceof RequestError) pending.refusals.refused(error);
        waiter.refused(error);
      }
    });
    return {
      cancel() {
        cancelled = true;
        waiting?.cancel();
      },
    };
  }
}
