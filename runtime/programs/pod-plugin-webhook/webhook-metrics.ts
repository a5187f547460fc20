import { counters, type Family, histograms } from "../../manager/metrics/family.ts";

/** Seconds; a review is to take at most 50 ms of the API server's time. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What operators see of the webhook. */
export class WebhookMetrics {
  readonly #reviews = histograms({
    name: "pod_plugin_admission_duration_seconds",
    help: "Time that reviews of pods took, by what became of the pod.",
    labels: ["result"],
    bounds,
  });
  readonly #failures = counters({
    name: "pod_plugin_failures_total",
    help: "Plugins that failed on a pod, by what became of the pod.",
    labels: ["result"],
  });

  get families(): readonly Family[] {
    return [this.#reviews, this.#failures];
  }

  reviewed(allowed: boolean, seconds: number): void {
    this.#reviews.series(allowed ? "allowed" : "refused").observe(seconds);
  }

  failed(refuses: boolean): void {
    this.#failures.series(refuses ? "refused" : "ignored").value += 1;
  }
}
