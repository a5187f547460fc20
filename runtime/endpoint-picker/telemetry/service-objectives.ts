import { computed, type Family, type Sample } from "../../manager/metrics/family.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";
import { poolLabel, type ServiceView } from "./service-view.ts";
import { SlidingQuantile } from "./sliding-quantile.ts";

/** The share of requests that an objective is about. */
const objectiveShare = 0.95;

const labels = ["pool", "llm_service", "model_name"];

/**
 * Latency per output token of the registered models, beside their objectives: seconds of a request by tokens of its
 * answer, P95 over the last while (LLM Instance Gateway proposal, Objective).
 */
export class ServiceObjectives {
  readonly #view: ServiceView;
  /** By service and model: who gets the name of another starts anew. */
  readonly #latencies = new Map<string, SlidingQuantile>();

  constructor(view: ServiceView) {
    this.#view = view;
  }

  get families(): Family[] {
    const gauge = (name: string, help: string, value: Value) =>
      computed(
        "gauge",
        { name: `llm_service_latency_per_output_token_${name}`, help, labels },
        () => this.#samples(value),
      );
    return [
      gauge(
        "objective_seconds",
        "What a service wants the P95 of seconds per output token to be at most.",
        (_, objective) => objective,
      ),
      gauge(
        "p95_seconds",
        "P95 of seconds of a request by tokens of its answer, over --objective-window.",
        (latency, _, now) => latency?.quantile(objectiveShare, now),
      ),
      gauge(
        "requests",
        "Requests within --objective-window that the P95 is of.",
        (latency, _, now) => latency?.count(now) ?? 0,
      ),
    ];
  }

  /** A request that failed, or had no tokens, has no latency per token. */
  completed({ service, model }: RequestLabels, { status, seconds, usage }: ResponseSummary): void {
    if (service === undefined || status >= 400) return;
    if (usage === undefined || usage.outputTokens === 0) return;
    this.#of(service, model).observe(seconds / usage.outputTokens, this.#view.now());
  }

  #of(service: string, model: string): SlidingQuantile {
    const key = keyOf(service, model);
    let latency = this.#latencies.get(key);
    if (latency === undefined) {
      this.#forgetIdle();
      latency = new SlidingQuantile(this.#view.objectiveWindowMs);
      this.#latencies.set(key, latency);
    }
    return latency;
  }

  #forgetIdle(): void {
    const now = this.#view.now();
    for (const [key, latency] of this.#latencies)
      if (latency.count(now) === 0) this.#latencies.delete(key);
  }

  *#samples(value: Value): Iterable<Sample> {
    const snapshot = this.#view.snapshot();
    const now = this.#view.now();
    for (const [model, { service, model: registered }] of registrationsOf(snapshot)) {
      const latency = this.#latencies.get(keyOf(service, model));
      const told = value(latency, registered.objectiveSeconds, now);
      if (told !== undefined) yield { labels: [poolLabel(snapshot), service, model], value: told };
    }
  }
}

type Value = (
  latency: SlidingQuantile | undefined,
  objectiveSeconds: number | undefined,
  now: number,
) => number | undefined;

const registrationsOf = ({ routing }: PoolSnapshot) => routing.registrations.byModel;

const keyOf = (service: string, model: string) => `${service}\0${model}`;
