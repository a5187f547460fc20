import type { Emission } from "../../testing/model-server/simulation.ts";
import type { Pod } from "./pod.ts";
import type { Arrival } from "./trace.ts";

export interface Choice {
  readonly pod: Pod;
  /** The pod that computes its prompt, if it is another one. */
  readonly prefiller?: Pod | undefined;
  readonly firstToken?: (at: number) => void;
  /** The answer ended, or broke off. */
  readonly end?: () => void;
}

export interface Outcome {
  readonly request: Arrival;
  pod: number | undefined;
  failed: boolean;
  firstAt: number;
  endAt: number;
  tokens: number;
  promptTokens: number;
  cachedTokens: number;
}

interface InFlight {
  readonly outcome: Outcome;
  readonly choice: Choice;
  /** The pod that computes it now. */
  at: Pod;
}

/** Requests on their way through pods: from the choice of a pod to the last token, whatever the clock. */
export class Traffic {
  readonly outcomes: Outcome[] = [];
  readonly #inFlight = new Map<number, InFlight>();
  readonly #follow: ((arrival: Arrival) => void) | undefined;

  /** @param follow receives the request that follows an answer in a closed loop */
  constructor(follow?: (arrival: Arrival) => void) {
    this.#follow = follow;
  }

  /** Requests that have not ended. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** A request came; it has no pod yet. */
  arrived(request: Arrival): Outcome {
    const outcome: Outcome = {
      request,
      pod: undefined,
      failed: false,
      firstAt: Number.NaN,
      endAt: Number.NaN,
      tokens: 0,
      promptTokens: 0,
      cachedTokens: 0,
    };
    this.outcomes.push(outcome);
    return outcome;
  }

  /** Sends a request to the pod that was chosen for it; undefined if it was refused. */
  send(id: number, outcome: Outcome, choice: Choice | undefined, now: number): void {
    if (choice === undefined) {
      outcome.failed = true;
      return;
    }
    outcome.pod = choice.pod.index;
    this.#inFlight.set(id, { outcome, choice, at: choice.prefiller ?? choice.pod });
    choice.pod.outstanding += 1;
    if (choice.prefiller !== undefined) choice.prefiller.outstanding += 1;
    this.#submit(id, now);
  }

  /** A pod computed a token. */
  emitted(pod: Pod, { id, at, token, last, promptTokens, cachedTokens }: Emission): void {
    const sent = this.#inFlight.get(id);
    if (sent === undefined || sent.at !== pod) return;
    const { outcome, choice } = sent;
    if (pod === choice.prefiller || choice.prefiller === undefined)
      Object.assign(outcome, { promptTokens, cachedTokens });
    if (pod === choice.prefiller) {
      sent.at = choice.pod;
      pod.outstanding -= 1;
      this.#submit(id, at);
      return;
    }
    if (token === 0) {
      outcome.firstAt = at;
      choice.firstToken?.(at);
    }
    outcome.tokens = token + 1;
    if (last) {
      outcome.endAt = at;
      this.#end(id);
      const { next } = outcome.request;
      if (next !== undefined) this.#follow?.({ ...next.arrival, at: at + next.afterMs });
    }
  }

  /** A pod died, and what is there with it. */
  died(pod: Pod): void {
    pod.alive = false;
    for (const [id, sent] of this.#inFlight)
      if (sent.at === pod) {
        pod.simulation.cancel(id);
        this.#fail(id);
      }
  }

  /** The client of a request gave up. */
  cancel(id: number): void {
    this.#inFlight.get(id)?.at.simulation.cancel(id);
    this.#fail(id);
  }

  /** All clients give up: unfinished requests fail. */
  giveUp(): void {
    for (const id of this.#inFlight.keys()) this.#fail(id);
  }

  #submit(id: number, now: number): void {
    const { outcome, choice, at } = this.#inFlight.get(id) as InFlight;
    const { prompt, answer, outputTokens } = outcome.request;
    if (!at.alive) {
      this.#fail(id);
      return;
    }
    const prefills = at === choice.prefiller;
    at.simulation.submit(
      {
        id,
        prompt,
        maxTokens: prefills ? 1 : outputTokens,
        prefilled: !prefills && choice.prefiller !== undefined,
        ...(!prefills && answer !== undefined && { answer }),
      },
      now,
    );
  }

  #end(id: number): void {
    const { choice, at } = this.#inFlight.get(id) as InFlight;
    this.#inFlight.delete(id);
    choice.pod.outstanding -= 1;
    if (at === choice.prefiller) at.outstanding -= 1;
    choice.end?.();
  }

  #fail(id: number): void {
    const sent = this.#inFlight.get(id);
    if (sent === undefined) return;
    sent.outcome.failed = true;
    this.#end(id);
  }
}
