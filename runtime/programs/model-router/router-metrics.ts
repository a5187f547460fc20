import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import { requestProcessingSeconds } from "../../../sdk/observability/bounds.ts";
import type { ModelRoutes } from "../../../sdk/routing/model-routes.ts";
import type { Observer } from "../../epp/observer.ts";
import { boundedLabel } from "../../epp/telemetry/bounded-label.ts";

import { limits } from "../../limits.ts";
import { counters, type Family, gauge, histograms } from "../../manager/metrics/family.ts";

/** Reason why a request is forwarded without its model being read. */
export type BypassReason = "no-body" | "unsupported-path" | "body-not-sent";

/** Metrics of a model router. */
export class RouterMetrics {
  readonly families: readonly Family[];
  readonly observer: Pick<Observer, "streamOpened" | "streamClosed">;
  readonly #model: (value: string) => string;
  #streams = 0;
  readonly #routed = counters({
    name: "model_router_requests_total",
    help: "Requests forwarded, by the model in their body and by the model chosen for it from several pools.",
    labels: ["model", "target_model"],
  });
  readonly #passed = counters({
    name: "model_router_bypassed_requests_total",
    help: "Requests forwarded without reading their model, by reason: no body, a path that is not supported, or a gateway that does not send bodies.",
    labels: ["reason"],
  });
  readonly #refused = counters({
    name: "model_router_rejected_requests_total",
    help: "Requests rejected, by HTTP status.",
    labels: ["status"],
  });
  readonly #seconds = histograms({
    name: "model_router_request_processing_duration_seconds",
    help: "Seconds of work on a request, without the wait for its body.",
    labels: [],
    bounds: requestProcessingSeconds,
  });

  /** @param routes returns the current routes, whose models have separate series */
  constructor(routes: () => ModelRoutes) {
    this.#model = boundedLabel(limits.labelValues.value, (model) => routes().byModel.has(model));
    this.observer = {
      streamOpened: () => {
        this.#streams += 1;
      },
      streamClosed: () => {
        this.#streams -= 1;
      },
    };
    this.families = [
      ...[this.#routed, this.#passed, this.#refused, this.#seconds],
      gauge("model_router_models", "Models in routes and pools.", () => routes().byModel.size),
      gauge(
        "model_router_extproc_streams_inflight",
        "Open ext_proc streams of proxies.",
        () => this.#streams,
      ),
    ];
  }

  /** @param milliseconds time spent on the request */
  routed(model: string, target: string | undefined, milliseconds: number): void {
    this.#routed.series(this.#model(model), this.#model(target ?? "")).value += 1;
    this.#seconds.series().observe(milliseconds / 1000);
  }

  passed(reason: BypassReason): void {
    this.#passed.series(reason).value += 1;
  }

  refused({ status }: RequestError): void {
    this.#refused.series(String(status)).value += 1;
  }
}
