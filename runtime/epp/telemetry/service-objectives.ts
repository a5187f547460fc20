import type { RegisteredModel } from "../../../sdk/routing/registrations.ts";
import { computed, type Family, type Sample } from "../../manager/metrics/family.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";
import { poolLabel, type ServiceView } from "./service-view.ts";
import { SlidingQuantile } from "./sliding-quantile.ts";

/** Share of requests that must meet an objective. */
const objectiveShare = 0.95;

const labels = ["pool", "llm_service", "model_name"];

/** Seconds of a model's responses within the window. */
interface Latencies {
  /** Seconds of a request per output token: the objective in the LLM Instance Gateway proposal. */
  readonly perToken: SlidingQuantile;
  /** Time until the first bytes of a response. */
  readonly firstToken: SlidingQuantile;
  /** Average time between two tokens of a streamed response. */
  readonly betweenTokens: SlidingQuantile;
}

/** P95 latencies of the registered models over the window, next to their objectives. */
export class ServiceObjectives {
  readonly #view: ServiceView;
  /** By service and model, so that a service that takes over a name starts without values. */
  readonly #latencies = new Map<string, Latencies>();

  constructor(view: ServiceView) {
    this.#view = view;
  }

  get families(): Family[] {
    const gauge = (name: string, help: string, value: Value) =>
      computed("gauge", { name: `llm_service_${name}`, help, labels }, () => this.#samples(value));
    const p95 = (name: string, help: string, of: keyof Latencies) =>
      gauge(
        `${name}_p95_seconds`,
        `P95 of ${help}, over --objective-window.`,
        ({ latencies, now }) => latencies?.[of].quantile(objectiveShare, now),
      );
    return [
      gauge(
        "latency_per_output_token_objective_seconds",
        "Objective of a service: maximum P95 of seconds per output token.",
        ({ model }) => model.objectiveSeconds,
      ),
      p95("latency_per_output_token", "seconds of a request per token of its response", "perToken"),
      gauge(
        "latency_per_output_token_requests",
        "Requests within --objective-window from which the P95 is computed.",
        ({ latencies, now }) => latencies?.perToken.count(now) ?? 0,
      ),
      gauge(
        "time_to_first_token_objective_seconds",
        "Objective of a service: maximum P95 of seconds to the first token.",
        ({ model }) => model.firstTokenSeconds,
      ),
      p95("time_to_first_token", "seconds to the first bytes of a streamed response", "firstToken"),
      p95(
        "time_per_output_token",
        "average seconds between two tokens of a streamed response",
        "betweenTokens",
      ),
    ];
  }

  /**
   * Records the latencies of a response. Failed requests and requests without output tokens are skipped. Time to first
   * token is known only for streams.
   */
  completed({ service, model }: RequestLabels, response: ResponseSummary): void {
    const { status, seconds, firstTokenSeconds, streaming, usage } = response;
    if (service === undefined || status >= 400) return;
    if (usage === undefined || usage.outputTokens === 0) return;
    const now = this.#view.now();
    const { perToken, firstToken, betweenTokens } = this.#of(service, model);
    perToken.observe(seconds / usage.outputTokens, now);
    if (!streaming || firstTokenSeconds === undefined) return;
    firstToken.observe(firstTokenSeconds, now);
    if (usage.outputTokens > 1)
      betweenTokens.observe((seconds - firstTokenSeconds) / (usage.outputTokens - 1), now);
  }

  #of(service: string, model: string): Latencies {
    const key = keyOf(service, model);
    let latencies = this.#latencies.get(key);
    if (latencies === undefined) {
      this.#forgetIdle();
      const quantile = () => new SlidingQuantile(this.#view.objectiveWindowMs);
      latencies = { perToken: quantile(), firstToken: quantile(), betweenTokens: quantile() };
      this.#latencies.set(key, latencies);
    }
    return latencies;
  }

  /**
   * Removes models without values in the window. `perToken` suffices as a test, because every recorded response has it.
   */
  #forgetIdle(): void {
    const now = this.#view.now();
    for (const [key, { perToken }] of this.#latencies)
      if (perToken.count(now) === 0) this.#latencies.delete(key);
  }

  *#samples(value: Value): Iterable<Sample> {
    const snapshot = this.#view.snapshot();
    const now = this.#view.now();
    for (const [name, { service, model }] of snapshot.routing.registrations.byModel) {
      const latencies = this.#latencies.get(keyOf(service, name));
      const reported = value({ latencies, model, now });
      if (reported !== undefined)
        yield { labels: [poolLabel(snapshot), service, name], value: reported };
    }
  }
}

interface Observed {
  readonly latencies: Latencies | undefined;
  readonly model: RegisteredModel;
  readonly now: number;
}

type Value = (observed: Observed) => number | undefined;

const keyOf = (service: string, model: string) => `${service}\0${model}`;
