import { metrics, scraped } from "../../observability/metrics.ts";
import {
  buckets,
  expression,
  histogramQuantile,
  max,
  maxOverTime,
  rate,
  select,
  sum,
} from "../../observability/promql.ts";
import type { Alert } from "./alert.ts";
import { ofPicker, type Target } from "./target.ts";

/** Queue time of the slowest tenth of requests above which an alert fires, in seconds. */
export const queuedSeconds = 5;

/** Share of the KV cache above which an alert fires. */
export const fullCache = 0.95;

/**
 * Window in which an ejection or exclusion counts. Between the end of a back-off and the next request, the picker does
 * not report it, and an alert that waits would start again.
 */
const betweenProbes = "2m";

/** Returns the alerts on causes, which fire whether or not an objective is missed yet. */
export const causeAlerts = (target: Target, minReadyEndpoints: number): Alert[] => [
  pickerAbsent(target),
  noReadyEndpoint(target, minReadyEndpoints),
  poolSaturated(target),
  requestsQueued(target),
  kvCacheFull(target),
  endpointEjected(target),
  pairsExcluded(target),
  engineMetricsUnread(target),
  replicasBelowDemand(target),
];

const pickerAbsent = (target: Target): Alert => ({
  alert: "InferencePickerAbsent",
  expr: expression(`absent(${select(scraped, ofPicker(target)).text} == 1)`),
  for: "5m",
  severity: "page",
  summary: `Prometheus reads no endpoint picker of ${target.title}.`,
  description:
    "The picker's pods do not run, or Prometheus may not read their page /metrics. Without a picker, the gateway rejects every request, and no other alert of this service can fire.",
});

function noReadyEndpoint(target: Target, minimum: number): Alert {
  const { readyEndpoints, queueSize } = metrics;
  const ready = max(select(readyEndpoints, ofPicker(target)));
  const queued = `sum(${select(queueSize, ofPicker(target)).text}) > 0`;
  return {
    alert: "InferenceNoReadyEndpoint",
    expr: expression(minimum === 0 ? `${ready} == 0 and ${queued}` : `${ready} < ${minimum}`),
    for: minimum === 0 ? "10m" : "2m",
    severity: "page",
    summary:
      minimum === 0
        ? `${target.title} has queued requests and no ready endpoint.`
        : `${target.title} has {{ $value }} ready endpoints, fewer than ${minimum}.`,
    description:
      "An endpoint is ready if it accepts connections and the picker has read its metrics within the last two seconds. Requests wait in the picker or fail.",
  };
}

/** A pool without endpoints is saturated as well, but a service may scale to zero. */
const poolSaturated = (target: Target): Alert => {
  const { poolSaturation, readyEndpoints } = metrics;
  const saturation = max(select(poolSaturation, ofPicker(target)));
  const ready = max(select(readyEndpoints, ofPicker(target)));
  return {
    alert: "InferencePoolSaturated",
    expr: expression(`${saturation} >= 1 and ${ready} > 0`),
    for: "10m",
    severity: "ticket",
    summary: `The engines of ${target.title} are full.`,
    description:
      "Every engine runs as many requests as it can. Further requests wait in the picker, the lowest priority longest. Add replicas, or raise the limit of the autoscaler.",
  };
};

const requestsQueued = (target: Target): Alert => {
  const { queueDuration } = metrics;
  const dispatched = ofPicker<typeof queueDuration>(target, { outcome: "Dispatched" });
  const slowest = histogramQuantile(0.9, buckets(queueDuration, dispatched), "5m");
  return {
    alert: "InferenceRequestsQueuedLong",
    expr: expression(`${slowest} > ${queuedSeconds}`),
    for: "10m",
    severity: "ticket",
    summary: `One in ten requests waits more than ${queuedSeconds} s in the picker of ${target.title}.`,
    description:
      "The 90th percentile of the time in the queue is {{ $value | humanizeDuration }}. Requests arrive faster than the engines serve them.",
  };
};

const kvCacheFull = (target: Target): Alert => ({
  alert: "InferenceKvCacheFull",
  expr: expression(`${max(select(metrics.kvCacheUtilization, ofPicker(target)))} > ${fullCache}`),
  for: "10m",
  severity: "ticket",
  summary: `The KV caches of ${target.title} are {{ $value | humanizePercentage }} full.`,
  description:
    "Engines preempt running requests and compute their prompts again when no block is free. Add replicas, or lower the context length.",
});

const endpointEjected = (target: Target): Alert => ({
  alert: "InferenceEndpointEjected",
  expr: expression(
    `${max(maxOverTime(select(metrics.ejectedEndpoints, ofPicker(target)), betweenProbes), ["endpoint", "model_name"])} == 1`,
  ),
  for: "5m",
  severity: "ticket",
  summary: `The picker of ${target.title} sends no requests to {{ $labels.endpoint }}.`,
  description:
    "Responses of the endpoint for model {{ $labels.model_name }} failed. The picker tries it again with single requests. Read the engine's log.",
});

const pairsExcluded = (target: Target): Alert => ({
  alert: "InferencePairsExcluded",
  expr: expression(
    `${max(maxOverTime(select(metrics.excludedPairs, ofPicker(target)), betweenProbes))} > 0`,
  ),
  for: "5m",
  severity: "ticket",
  summary: `{{ $value }} prefiller-decoder pairs of ${target.title} get no requests.`,
  description:
    "Transfers of KV caches between the two pods of each pair failed. The status lists the pods that caused failures.",
});

const engineMetricsUnread = (target: Target): Alert => ({
  alert: "InferenceEngineMetricsUnread",
  expr: expression(`${sum(rate(select(metrics.pollErrors, ofPicker(target)), "5m"))} > 0`),
  for: "10m",
  severity: "ticket",
  summary: `The picker of ${target.title} cannot read the metrics of an engine.`,
  description:
    "{{ $value | humanize }} reads per second fail. The picker does not know the load of that engine. The debug page /debug/state of the picker contains the age of each reading.",
});

const replicasBelowDemand = (target: Target): Alert => {
  const { desiredEndpoints, readyEndpoints } = metrics;
  const desired = max(select(desiredEndpoints, ofPicker(target)));
  const ready = max(select(readyEndpoints, ofPicker(target)));
  return {
    alert: "InferenceReplicasBelowDemand",
    expr: expression(`${desired} > ${ready}`),
    for: "15m",
    severity: "ticket",
    summary: `${target.title} needs {{ $value }} engines and has fewer.`,
    description:
      "The autoscaler is at its maximum, the cluster lacks nodes, or engines do not start. Raise maxUnits or add nodes.",
  };
};
