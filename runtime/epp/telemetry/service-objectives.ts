import type { RegisteredModel } from "../../../sdk/routing/registrations.ts";
import { computed, type Family, type Sample } from "../../manager/metrics/family.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";
import { poolLabel, type ServiceView } from "./service-view.ts";
import { SlidingQuantile } from "./sliding-quantile.ts";

/** The share of requests that an objective is about. */
const objectiveShare = 0.95;

const labels = ["pool", "llm_service", "model_name"];

/** Seconds of a model's answers within the window. */
interface Latencies {
  /** Seconds of a request per token of its answer: what the LLM Instance Gateway proposal calls the objective. */
  readonly perToken: SlidingQuantile;
  /** Until the first bytes of an answer. */
  readonly firstToken: SlidingQuantile;
  /** Between two tokens of a streamed answer, on average. */
  readonly betweenTokens: SlidingQuantile;
}

/** Latencies of the registered models, beside their objectives: P95 over the last while. */
export class ServiceObjectives {
  readonly #view: ServiceView;
  /** By service and model: who gets the name of another starts anew. */
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

  /** A request that failed, or had no tokens, has no latency. Only a stream shows its first token when it is there. */
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

  /** Every answer that is measured has a latency per token. */
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
