import { counters, type Family, histograms } from "../../manager/metrics/family.ts";

/** Histogram bounds, in seconds. A review should take at most 50 ms. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class WebhookMetrics {
  readonly #reviews = histograms({
    name: "pod_plugin_admission_duration_seconds",
    help: "Seconds of the admission of a pod, by result.",
    labels: ["result"],
    bounds,
  });
  readonly #failures = counters({
    name: "pod_plugin_failures_total",
    help: "Plugins that failed on a pod, by result: the pod was rejected, the plugin was ignored, or its hook OnPodReady is retried.",
    labels: ["result"],
  });
  readonly #readyHooks = counters({
    name: "pod_plugin_ready_hooks_total",
    help: "Pods for which OnPodReady hooks have run.",
    labels: [],
  });

  get families(): readonly Family[] {
    return [this.#reviews, this.#failures, this.#readyHooks];
  }

  reviewed(allowed: boolean, seconds: number): void {
    this.#reviews.series(allowed ? "allowed" : "rejected").observe(seconds);
  }

  failed(result: "rejected" | "ignored" | "retried"): void {
    this.#failures.series(result).value += 1;
  }

  readyHooksRan(): void {
    this.#readyHooks.series().value += 1;
  }
}
