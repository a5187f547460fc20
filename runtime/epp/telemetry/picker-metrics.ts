import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { metrics } from "../../../sdk/observability/metrics.ts";
import {
  computed,
  counters,
  type Family,
  gauges,
  histograms,
} from "../../manager/metrics/family.ts";
import * as bounds from "./bounds.ts";
import { described } from "./upstream-names.ts";

/** Names, helps and labels of the families, the same for every pool of a process. */
const about = {
  attempts: metrics.attempts,
  scheduling: {
    ...described("scheduler_e2e_duration_seconds", "Seconds of filters, scorers and pickers."),
    bounds: bounds.schedulingSeconds,
  },
  rewrites: {
    ...described("model_rewrite_decisions_total", "Requests whose model was rewritten."),
    labels: ["model_rewrite_name", "model_name", "target_model"],
  },
  requestProcessing: metrics.requestProcessing,
  responseProcessing: {
    ...described(
      "response_processing_duration_seconds",
      "Seconds of the picker's work on a response.",
    ),
    bounds: bounds.responseProcessingSeconds,
  },
  streams: described("extproc_streams_inflight", "Open streams of proxies."),
  streamSeconds: {
    ...described("extproc_stream_duration_seconds", "Seconds for which a stream was open."),
    bounds: bounds.streamSeconds,
  },
  streamsEnded: {
    ...described("extproc_streams_total", "Streams that ended, by gRPC status."),
    labels: ["code"],
  },
  pollErrors: metrics.pollErrors,
  extractErrors: {
    ...described(
      "datalayer_extract_errors_total",
      "Reads of model servers' metrics with invalid values.",
    ),
    labels: ["source_type", "extractor_type"],
  },
  info: {
    ...described("info", "Build of the running picker."),
    labels: ["commit", "build_ref"],
  },
} as const;

export class PickerMetrics {
  readonly #attempts = counters(about.attempts);
  readonly #scheduling = histograms(about.scheduling);
  readonly #rewrites = counters(about.rewrites);
  readonly #requestProcessing = histograms(about.requestProcessing);
  readonly #responseProcessing = histograms(about.responseProcessing);
  readonly #streams = gauges(about.streams);
  readonly #streamSeconds = histograms(about.streamSeconds);
  readonly #streamsEnded = counters(about.streamsEnded);
  readonly #pollErrors = counters(about.pollErrors);
  readonly #extractErrors = counters(about.extractErrors);
  readonly #build: Build;
  readonly #model: (model: string) => string;

  /** @param model returns the label value for a model that a client named */
  constructor(build: Build, model: (model: string) => string) {
    this.#build = build;
    this.#model = model;
  }

  get families(): Family[] {
    const { commit, version } = this.#build;
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
      computed("gauge", about.info, () => [{ labels: [commit, version], value: 1 }]),
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

  /** @param rewrite `namespace/name`. The label has only the name, because all rewrites are in the pool's namespace. */
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

/** Returns the status name of Go's gRPC, which dashboards select by: `Canceled` for `CANCELLED`. */
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
