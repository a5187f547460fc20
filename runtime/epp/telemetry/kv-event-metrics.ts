import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { KvIndex } from "../../../scheduling/kv-index/kv-index.ts";
import { computed, counters, type Family } from "../../manager/metrics/family.ts";
import type { SubscriptionObserver } from "../kv-events/subscription.ts";
import type { TokenOutcome } from "../tokens/prompt-tokenizer.ts";

export interface KvEventView {
  readonly index: KvIndex;
  readonly endpoints: () => readonly Endpoint[];
}

/** Metrics of the KV events of model servers, and of the tokens that look up prompts. */
export class KvEventMetrics implements SubscriptionObserver {
  readonly #events = counters({
    name: "llm_d_epp_kv_events_total",
    help: "KV cache events received from model servers, by outcome.",
    labels: ["outcome"],
  });
  readonly #endings = counters({
    name: "llm_d_epp_kv_event_disconnections_total",
    help: "Connections to publishers of KV events that ended or failed, by reason; malformed is an invalid message.",
    labels: ["reason"],
  });
  readonly #replays = counters({
    name: "llm_d_epp_kv_event_replays_total",
    help: "Requests to publishers to replay earlier events, by outcome.",
    labels: ["outcome"],
  });
  readonly #tokens = counters({
    name: "llm_d_epp_prompt_tokenizations_total",
    help: "Requests by the source of their prompt tokens, for caches that are tracked by KV events.",
    labels: ["outcome"],
  });
  readonly #view: KvEventView;
  #malformed = 0;

  constructor(view: KvEventView) {
    this.#view = view;
  }

  get families(): Family[] {
    const { index, endpoints } = this.#view;
    const streams = computed(
      "gauge",
      {
        name: "llm_d_epp_kv_event_streams",
        help: "Endpoints by the state of their KV events; caches of endpoints that are not live are estimated.",
        labels: ["state"],
      },
      () => {
        const counts = { live: 0, replaying: 0, down: 0 };
        for (const endpoint of endpoints()) counts[index.state(endpoint)] += 1;
        return Object.entries(counts).map(([state, value]) => ({ labels: [state], value }));
      },
    );
    return [streams, this.#events, this.#endings, this.#replays, this.#tokens];
  }

  received(events: number, unknown: number): void {
    this.#events.series("applied").value += events;
    if (unknown > 0) this.#events.series("unknown").value += unknown;
  }

  malformed(): void {
    this.#malformed += 1;
  }

  disconnected(): void {
    const reason = this.#malformed > 0 ? "malformed" : "connection";
    this.#malformed = 0;
    this.#endings.series(reason).value += 1;
  }

  replayed(outcome: "complete" | "failed"): void {
    this.#replays.series(outcome).value += 1;
  }

  tokenized(outcome: TokenOutcome): void {
    this.#tokens.series(outcome).value += 1;
  }
}
