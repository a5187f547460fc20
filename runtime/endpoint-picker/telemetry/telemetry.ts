import type { Family } from "../../process/metrics/family.ts";
import type { Observer } from "../observer.ts";
import { boundedLabel, maxLabelValues } from "./bounded-label.ts";
import { type Build, PickerMetrics } from "./picker-metrics.ts";
import { type PoolView, poolMetrics } from "./pool-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";

export interface Telemetry {
  /** For the request path. */
  readonly observer: Observer;
  /** A reading of a model server failed, or made no sense. */
  readonly pollFailed: (source: string) => void;
  readonly extractFailed: (source: string, extractor: string) => void;
  /** What /metrics shows. */
  readonly families: readonly Family[];
}

/**
 * Metrics of an endpoint picker, by the names, labels and bounds of the upstream picker and by its older names
 * (llm-d-router, docs/metrics.md). Flow control and plugins have none here.
 */
export function newTelemetry(view: PoolView, build: Build): Telemetry {
  const model = boundedLabel(maxLabelValues, (name) => isRewritten(view, name));
  const requests = new RequestMetrics(model);
  const picker = new PickerMetrics(build, model);
  return {
    observer: {
      streamOpened: () => picker.streamOpened(),
      streamClosed: (seconds, code) => picker.streamClosed(seconds, code),
      requestReceived: (labels, bytes) => requests.received(labels, bytes),
      scheduled: (seconds, succeeded, targetModel, endpoint) =>
        picker.scheduled(seconds, succeeded, targetModel, endpoint),
      rewritten: (rewrite, from, to) => picker.rewritten(rewrite, from, to),
      processed: (phase, seconds) => picker.processed(phase, seconds),
      requestLaunched: (labels) => requests.launched(labels),
      requestLanded: (labels, response) => requests.landed(labels, response),
      refused: (labels, error) => requests.refused(labels, error),
    },
    pollFailed: (source) => picker.pollFailed(source),
    extractFailed: (source, extractor) => picker.extractFailed(source, extractor),
    families: [...requests.families, ...picker.families, ...poolMetrics(view)],
  };
}

/** A rewrite names the model, as what it matches or as a target. */
function isRewritten({ snapshot }: PoolView, model: string): boolean {
  const { exact, generic } = snapshot().rewrites;
  if (exact.has(model)) return true;
  return [...exact.values(), ...(generic ? [generic] : [])].some(({ targets }) =>
    targets.some((target) => target.model === model),
  );
}
