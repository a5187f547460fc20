import type { RequestError } from "../../../scheduling/request-error.ts";
import type { ModelRoutes } from "../../../sdk/routing/model-routes.ts";
import type { Observer } from "../../endpoint-picker/observer.ts";
import { boundedLabel } from "../../endpoint-picker/telemetry/bounded-label.ts";
import { requestProcessingSeconds } from "../../endpoint-picker/telemetry/bounds.ts";
import { limits } from "../../limits.ts";
import { counters, type Family, gauge, histograms } from "../../manager/metrics/family.ts";

/** Why a request goes on without its model having been read. */
export type Unread = "no-body" | "not-read" | "not-shown";

/** What a model router counts. */
export class RouterMetrics {
  readonly families: readonly Family[];
  readonly observer: Pick<Observer, "streamOpened" | "streamClosed">;
  readonly #model: (value: string) => string;
  #streams = 0;
  readonly #routed = counters({
    name: "model_router_requests_total",
    help: "Requests that went on, by the model of their body and by what was drawn for it of the models of several pools.",
    labels: ["model", "target_model"],
  });
  readonly #passed = counters({
    name: "model_router_passed_total",
    help: "Requests that went on without their model: those without a body, at paths that are not read, or of a gateway that shows no bodies.",
    labels: ["reason"],
  });
  readonly #refused = counters({
    name: "model_router_refused_total",
    help: "Requests that were refused, by status.",
    labels: ["status"],
  });
  readonly #seconds = histograms({
    name: "model_router_request_processing_seconds",
    help: "Work on a request, waiting for its body excluded.",
    labels: [],
    bounds: requestProcessingSeconds,
  });

  /** @param routes those of the moment: their models have series of their own */
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
      gauge(
        "model_router_models",
        "Models that routes and pools name.",
        () => routes().byModel.size,
      ),
      gauge("model_router_streams", "Streams of proxies that are open.", () => this.#streams),
    ];
  }

  /** @param milliseconds of work */
  routed(model: string, target: string | undefined, milliseconds: number): void {
    this.#routed.series(this.#model(model), this.#model(target ?? "")).value += 1;
    this.#seconds.series().observe(milliseconds / 1000);
  }

  passed(reason: Unread): void {
    this.#passed.series(reason).value += 1;
  }

  refused({ status }: RequestError): void {
    this.#refused.series(String(status)).value += 1;
  }
}
