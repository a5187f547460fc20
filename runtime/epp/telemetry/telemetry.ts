import type { SchedulingObserver } from "../../../scheduling/scheduling-observer.ts";
import type { ResponsesPage } from "../../../sdk/rollout/endpoint-responses.ts";
import { limits } from "../../limits.ts";
import type { Family } from "../../manager/metrics/family.ts";
import { isConfigured } from "../datastore/configured-models.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";
import type { Observer } from "../observer.ts";
import { boundedLabel } from "./bounded-label.ts";
import { EndpointResponseCounts } from "./endpoint-response-counts.ts";
import { MissingTargets } from "./missing-targets.ts";
import { type Build, PickerMetrics } from "./picker-metrics.ts";
import { PluginMetrics, type SchedulerView } from "./plugin-metrics.ts";
import { type PoolView, poolMetrics } from "./pool-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { ServiceMetrics } from "./service-metrics.ts";
import { ServiceObjectives } from "./service-objectives.ts";
import type { ServiceView } from "./service-view.ts";
import { withOlderNames } from "./upstream-names.ts";

export interface Telemetry {
  readonly observer: Observer;
  readonly scheduling: SchedulingObserver;
  /** Called when a scrape of a model server failed or gave no reading. */
  readonly pollFailed: (source: string) => void;
  readonly extractFailed: (source: string, extractor: string) => void;
  /** Returns the label value for a model that a client named. */
  readonly modelLabel: (model: string) => string;
  /** Families of /metrics, computed when they are read. */
  readonly families: readonly Family[];
  /** Returns the content of `/responses`. */
  readonly responses: () => ResponsesPage;
}

/**
 * Metrics of an endpoint picker, with the names, labels and bounds of the upstream picker and its older names
 * (llm-d-router, docs/metrics.md). `upstreamMetrics` lists the ones that are left out. Metrics of LLMServices, which
 * upstream does not have, are `llm_service_*` and `llm_d_epp_model_target_*`.
 */
export function newTelemetry(
  view: PoolView & ServiceView & SchedulerView,
  build: Build,
): Telemetry {
  const model = boundedLabel(limits.labelValues.value, (name) => isOfPool(view.snapshot(), name));
  const requests = new RequestMetrics(model);
  const picker = new PickerMetrics(build, model);
  const plugins = new PluginMetrics(view, model);
  const services = new ServiceMetrics(view);
  const objectives = new ServiceObjectives(view);
  const missing = new MissingTargets(view, model);
  const responses = new EndpointResponseCounts(view);
  return {
    observer: {
      streamOpened: () => picker.streamOpened(),
      streamClosed: (seconds, code) => picker.streamClosed(seconds, code),
      requestReceived: (labels) => services.received(labels),
      scheduled: (seconds, targetModel, endpoint) =>
        picker.scheduled(seconds, targetModel, endpoint),
      chunksOf: (labels) => requests.chunksOf(labels),
      rewritten: (rewrite, from, to) => picker.rewritten(rewrite, from, to),
      requestProcessed: (seconds) => picker.requestProcessed(seconds),
      requestDispatched: (labels, bytes, sent) => {
        requests.dispatched(labels, bytes);
        responses.sent(labels, sent);
      },
      responseBegan: (labels, response) => responses.began(labels, response),
      requestCompleted: (labels, response) => {
        requests.completed(labels, response);
        responses.ended(labels);
        if (response === undefined) return;
        picker.responseProcessed(response.processingSeconds);
        services.completed(labels, response);
        objectives.completed(labels, response);
        missing.completed(labels, response);
      },
      refused: (labels, error) => {
        requests.refused(labels, error);
        if (labels !== undefined) services.refused(labels, error);
      },
    },
    scheduling: plugins,
    modelLabel: model,
    pollFailed: (source) => picker.pollFailed(source),
    extractFailed: (source, extractor) => picker.extractFailed(source, extractor),
    responses: () => responses.page(),
    get families() {
      return withOlderNames([
        ...requests.families,
        ...picker.families,
        ...plugins.families,
        ...services.families,
        ...objectives.families,
        ...missing.families,
        ...poolMetrics(view),
      ]);
    },
  };
}

/** Whether a model name is in the pool's objects or reported by one of its model servers. */
const isOfPool = ({ routing, pool, endpoints }: PoolSnapshot, name: string): boolean =>
  isConfigured(routing, name) ||
  (pool?.reservedModels?.includes(name) ?? false) ||
  endpoints.some(({ live }) => live.metrics?.servedModel === name);
