import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import { modelServerError } from "../../../sdk/observability/metrics.ts";
import {
  counters,
  type Family,
  type Histogram,
  histograms,
  type Tally,
} from "../../manager/metrics/family.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";
import { overflow } from "./bounded-label.ts";
import * as bounds from "./bounds.ts";
import { poolLabel, type ServiceView } from "./service-view.ts";

/** Distinct sets of labels. Models and targets are set by LLMServices and not by clients. */
const maxLabelSets = 5_000;

const labels = ["pool", "llm_service", "model_name", "target_model_name"];

interface ServiceSeries {
  readonly labels: readonly string[];
  readonly requests: Tally;
  readonly seconds: Histogram;
  readonly inputTokens: Tally;
  readonly outputTokens: Tally;
}

/** Names, helps and labels of the families, the same for every pool of a process. */
const about = {
  requests: described("requests_total", "Requests for registered models."),
  errors: {
    ...described(
      "request_errors_total",
      "Requests for registered models that were rejected or got an error.",
    ),
    labels: [...labels, "error_code"],
  },
  seconds: {
    ...described(
      "request_duration_seconds",
      "Seconds from a request's first message to the end of its response.",
    ),
    bounds: bounds.requestSeconds,
  },
  inputTokens: described("input_tokens_total", "Tokens of prompts, as model servers count them."),
  outputTokens: described(
    "output_tokens_total",
    "Tokens of responses, as model servers count them.",
  ),
} as const;

/** Metrics of requests for registered models, by the LLMService that registers them, for its owners. */
export class ServiceMetrics {
  readonly #requests = counters(about.requests);
  readonly #errors = counters(about.errors);
  readonly #seconds = histograms(about.seconds);
  readonly #inputTokens = counters(about.inputTokens);
  readonly #outputTokens = counters(about.outputTokens);
  readonly #view: ServiceView;
  readonly #series = new Map<string, ServiceSeries>();
  #overflow: ServiceSeries | undefined;

  constructor(view: ServiceView) {
    this.#view = view;
  }

  get families(): Family[] {
    return [this.#requests, this.#errors, this.#seconds, this.#inputTokens, this.#outputTokens];
  }

  received(request: RequestLabels): void {
    const series = this.#of(request);
    if (series !== undefined) series.requests.value += 1;
  }

  completed(request: RequestLabels, { status, seconds, usage }: ResponseSummary): void {
    const series = this.#of(request);
    if (series === undefined) return;
    if (status >= 400) this.#errors.series(...series.labels, modelServerError).value += 1;
    series.seconds.observe(seconds);
    if (usage === undefined) return;
    series.inputTokens.value += usage.inputTokens ?? 0;
    series.outputTokens.value += usage.outputTokens;
  }

  refused(request: RequestLabels, { code }: RequestError): void {
    const series = this.#of(request);
    if (series !== undefined) this.#errors.series(...series.labels, code).value += 1;
  }

  #of({ service, model, targetModel }: RequestLabels): ServiceSeries | undefined {
    if (service === undefined) return undefined;
    const key = `${service}\0${model}\0${targetModel}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= maxLabelSets) {
      this.#overflow ??= this.#seriesOf([overflow, overflow, overflow, overflow]);
      return this.#overflow;
    }
    const series = this.#seriesOf([poolLabel(this.#view.snapshot()), service, model, targetModel]);
    this.#series.set(key, series);
    return series;
  }

  #seriesOf(values: readonly string[]): ServiceSeries {
    return {
      labels: values,
      requests: this.#requests.series(...values),
      seconds: this.#seconds.series(...values),
      inputTokens: this.#inputTokens.series(...values),
      outputTokens: this.#outputTokens.series(...values),
    };
  }
}

function described(name: string, help: string) {
  return { name: `llm_service_${name}`, help, labels };
}
