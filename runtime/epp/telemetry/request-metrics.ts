import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import { metrics, modelServerError } from "../../../sdk/observability/metrics.ts";
import { limits } from "../../limits.ts";
import {
  counters,
  type Family,
  gauges,
  type Histogram,
  histograms,
  type Tally,
} from "../../manager/metrics/family.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";
import { boundedLabel, overflow } from "./bounded-label.ts";
import * as bounds from "./bounds.ts";
import { described as ofUpstream } from "./upstream-names.ts";

const { labels } = metrics.requests;

const histogramTable = {
  requestBytes: {
    name: "request_size_bytes",
    help: "Bytes of request bodies.",
    bounds: bounds.requestBytes,
  },
  responseBytes: {
    name: "response_size_bytes",
    help: "Bytes of response bodies.",
    bounds: bounds.responseBytes,
  },
  seconds: {
    name: "request_duration_seconds",
    help: "Seconds from a request's first message to the end of its response.",
    bounds: bounds.requestSeconds,
  },
  secondsPerToken: {
    name: "request_ntpot_seconds",
    help: "Seconds of a request per token of its response.",
    bounds: bounds.secondsPerToken,
  },
  secondsBetweenChunks: {
    name: "request_streaming_itl_seconds",
    help: "Seconds between two chunks of a streamed response.",
    bounds: bounds.secondsBetweenChunks,
  },
} as const;

/** Histograms of the registry. */
const registered = {
  inputTokens: { ...metrics.inputTokens, bounds: bounds.inputTokens },
  cachedTokens: { ...metrics.cachedTokens, bounds: bounds.inputTokens },
  outputTokens: { ...metrics.outputTokens, bounds: bounds.outputTokens },
  streamedSecondsPerToken: metrics.perOutputToken,
} as const;

type HistogramName = keyof typeof histogramTable | keyof typeof registered;

/** The series of one set of labels, each created on first use. */
interface RequestSeries {
  readonly labels: readonly string[];
  requests?: Tally;
  running?: Tally;
  firstToken?: Histogram;
  firstStreamedToken?: Histogram;
  readonly histograms: { [Name in HistogramName]?: Histogram };
}

const described = (name: string, help: string) => ofUpstream(name, help, labels);

/** Names, helps and labels of the families, the same for every pool of a process. */
const about = {
  requests: metrics.requests,
  errors: metrics.requestErrors,
  running: described("request_running", "In-flight requests."),
  firstToken: metrics.firstToken,
  histograms: [
    ...Object.entries(histogramTable).map(
      ([key, { name, help, bounds }]) => [key, { ...described(name, help), bounds }] as const,
    ),
    ...Object.entries(registered),
  ],
} as const;

/** Metrics by the labels of requests. Each event looks up the series of its labels once. */
export class RequestMetrics {
  readonly #requests = counters(about.requests);
  readonly #errors = counters(about.errors);
  readonly #running = gauges(about.running);
  readonly #firstToken = histograms(about.firstToken);
  readonly #histograms = Object.fromEntries(
    about.histograms.map(([key, input]) => [key, histograms(input)]),
  ) as Record<HistogramName, ReturnType<typeof histograms>>;
  readonly #series = new Map<string, RequestSeries>();
  /** The latest lookup: most requests have the labels of the request before. */
  #last: { readonly request: RequestLabels; readonly series: RequestSeries } | undefined;
  readonly #model: (model: string) => string;
  readonly #fairnessId = boundedLabel(limits.labelValues.value);

  /** @param model returns the label value for a model that a client named */
  constructor(model: (model: string) => string) {
    this.#model = model;
  }

  get families(): Family[] {
    return [
      this.#requests,
      this.#errors,
      this.#running,
      this.#firstToken,
      ...Object.values(this.#histograms),
    ];
  }

  dispatched(request: RequestLabels, bytes: number): void {
    const series = this.#of(request);
    series.requests ??= this.#requests.series(...series.labels);
    series.requests.value += 1;
    this.#observe(series, "requestBytes", bytes);
    this.#runningOf(series).value += 1;
  }

  chunksOf(request: RequestLabels): (seconds: number) => void {
    const histogram = this.#histogramOf(this.#of(request), "secondsBetweenChunks");
    return (seconds) => histogram.observe(seconds);
  }

  completed(request: RequestLabels, response: ResponseSummary | undefined): void {
    const series = this.#of(request);
    this.#runningOf(series).value -= 1;
    if (response === undefined) return;
    if (response.status >= 400) this.#errors.series(...series.labels, modelServerError).value += 1;
    this.#observe(series, "seconds", response.seconds);
    this.#observe(series, "responseBytes", response.bytes);
    if (response.firstTokenSeconds !== undefined)
      this.#firstTokenOf(series, response.streaming).observe(response.firstTokenSeconds);
    this.#observeTokens(series, response);
  }

  refused(request: RequestLabels | undefined, { code }: RequestError): void {
    const values = request === undefined ? ["", "", "", "0"] : this.#of(request).labels;
    this.#errors.series(...values, code).value += 1;
  }

  #observeTokens(series: RequestSeries, response: ResponseSummary): void {
    const { usage, seconds, firstTokenSeconds, streaming } = response;
    if (usage === undefined) return;
    if (usage.inputTokens) this.#observe(series, "inputTokens", usage.inputTokens);
    if (usage.cachedTokens !== undefined) this.#observe(series, "cachedTokens", usage.cachedTokens);
    if (usage.outputTokens === 0) return;
    this.#observe(series, "outputTokens", usage.outputTokens);
    this.#observe(series, "secondsPerToken", seconds / usage.outputTokens);
    if (streaming && firstTokenSeconds !== undefined && usage.outputTokens > 1)
      this.#observe(
        series,
        "streamedSecondsPerToken",
        (seconds - firstTokenSeconds) / (usage.outputTokens - 1),
      );
  }

  #observe(series: RequestSeries, name: HistogramName, value: number): void {
    this.#histogramOf(series, name).observe(value);
  }

  #histogramOf(series: RequestSeries, name: HistogramName): Histogram {
    series.histograms[name] ??= this.#histograms[name].series(...series.labels);
    return series.histograms[name];
  }

  #runningOf(series: RequestSeries): Tally {
    series.running ??= this.#running.series(...series.labels);
    return series.running;
  }

  #firstTokenOf(series: RequestSeries, streaming: boolean): Histogram {
    const key = streaming ? "firstStreamedToken" : "firstToken";
    series[key] ??= this.#firstToken.series(...series.labels, String(streaming));
    return series[key];
  }

  /** Returns the same series for the same labels, so that a gauge is decreased on the series where it was increased. */
  #of(request: RequestLabels): RequestSeries {
    const last = this.#last;
    if (last !== undefined && haveSameLabels(last.request, request)) return last.series;
    const series = this.#find(request);
    // A model that is counted as `other` may get its own series later.
    if (!series.labels.includes(overflow)) this.#last = { request, series };
    return series;
  }

  #find({ model, targetModel, fairnessId, priority }: RequestLabels): RequestSeries {
    const labels = [
      this.#model(model),
      this.#model(targetModel),
      this.#fairnessId(fairnessId),
      String(priority),
    ];
    const known = this.#series.get(labels.join("\0"));
    if (known !== undefined) return known;
    const admitted =
      this.#series.size < limits.labelSets.value
        ? labels
        : [overflow, overflow, overflow, overflow];
    const key = admitted.join("\0");
    const series = this.#series.get(key) ?? { labels: admitted, histograms: {} };
    this.#series.set(key, series);
    return series;
  }
}

const haveSameLabels = (one: RequestLabels, other: RequestLabels): boolean =>
  one.model === other.model &&
  one.targetModel === other.targetModel &&
  one.fairnessId === other.fairnessId &&
  one.priority === other.priority;
