import type { Endpoint } from "../../../scheduling/endpoint.ts";
import { counters, type Family, gauges, histograms } from "../../manager/metrics/family.ts";
import * as bounds from "./bounds.ts";
import { described } from "./upstream-names.ts";

/** Metrics of the picker's own work. */
export class PickerMetrics {
  readonly #attempts = counters({
    ...described("scheduler_attempts_total", "Requests that were scheduled, by what came of it."),
    labels: ["status", "target_model_name", "endpoint_name", "namespace", "port"],
  });
  readonly #scheduling = histograms({
    ...described("scheduler_e2e_duration_seconds", "Seconds of filters, scorers and pickers."),
    bounds: bounds.schedulingSeconds,
  });
  readonly #rewrites = counters({
    ...described("model_rewrite_decisions_total", "Requests whose model was rewritten."),
    labels: ["model_rewrite_name", "model_name", "target_model"],
  });
  readonly #requestProcessing = histograms({
    ...described(
      "request_processing_duration_seconds",
      "Seconds of the picker's work on a request.",
    ),
    bounds: bounds.requestProcessingSeconds,
  });
  readonly #responseProcessing = histograms({
    ...described(
      "response_processing_duration_seconds",
      "Seconds of the picker's work on a response.",
    ),
    bounds: bounds.responseProcessingSeconds,
  });
  readonly #streams = gauges(
    described("extproc_streams_inflight", "Streams of proxies that are open."),
  );
  readonly #streamSeconds = histograms({
    ...described("extproc_stream_duration_seconds", "Seconds that a stream was open."),
    bounds: bounds.streamSeconds,
  });
  readonly #streamsEnded = counters({
    ...described("extproc_streams_total", "Streams that ended, by gRPC status."),
    labels: ["code"],
  });
  readonly #pollErrors = counters({
    ...described("datalayer_poll_errors_total", "Readings of model servers that failed."),
    labels: ["source_type"],
  });
  readonly #extractErrors = counters({
    ...described("datalayer_extract_errors_total", "Readings of model servers that made no sense."),
    labels: ["source_type", "extractor_type"],
  });
  readonly #info = gauges({
    ...described("info", "The build that runs."),
    labels: ["commit", "build_ref"],
  });
  readonly #model: (model: string) => string;

  /** @param model the value of a label for a model that a client named */
  constructor(build: Build, model: (model: string) => string) {
    this.#info.series(build.commit, build.version).value = 1;
    this.#model = model;
  }

  get families(): Family[] {
    return [
      this.#attempts,
      this.#scheduling,
      this.#rewrites,
      this.#requestProcessing,
      this.#responseProcessing,
      this.#streams,
      this.#streamSeconds,
      this.#streamsEnded,
      this.#pollErrors,
      this.#extractErrors,
      this.#info,
    ];
  }

  scheduled(seconds: number, targetModel: string, endpoint: Endpoint | undefined): void {
    this.#scheduling.series().observe(seconds);
    this.#attempts.series(
      endpoint === undefined ? "failure" : "success",
      this.#model(targetModel),
      endpoint?.pod ?? "",
      endpoint?.namespace ?? "",
      endpoint === undefined ? "" : String(endpoint.port),
    ).value += 1;
  }

  /** @param rewrite `namespace/name`; the pool's namespace is that of its rewrites, and the label has the name alone */
  rewritten(rewrite: string, model: string, targetModel: string): void {
    this.#rewrites.series(
      rewrite.slice(rewrite.indexOf("/") + 1),
      this.#model(model),
      targetModel,
    ).value += 1;
  }

  requestProcessed(seconds: number): void {
    this.#requestProcessing.series().observe(seconds);
  }

  responseProcessed(seconds: number): void {
    this.#responseProcessing.series().observe(seconds);
  }

  streamOpened(): void {
    this.#streams.series().value += 1;
  }

  streamClosed(seconds: number, code: string): void {
    this.#streams.series().value -= 1;
    this.#streamSeconds.series().observe(seconds);
    this.#streamsEnded.series(goCodeName(code)).value += 1;
  }

  pollFailed(source: string): void {
    this.#pollErrors.series(source).value += 1;
  }

  extractFailed(source: string, extractor: string): void {
    this.#extractErrors.series(source, extractor).value += 1;
  }
}

/** Status names as Go's gRPC writes them, in the label that dashboards select by: `Canceled` for `CANCELLED`. */
function goCodeName(code: string): string {
  if (code === "OK") return code;
  if (code === "CANCELLED") return "Canceled";
  return code
    .toLowerCase()
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

export interface Build {
  readonly commit: string;
  readonly version: string;
}
