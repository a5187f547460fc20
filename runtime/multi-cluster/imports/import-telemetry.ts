import { type Build, PickerMetrics } from "../../epp/telemetry/picker-metrics.ts";
import type { Log } from "../../manager/log.ts";
import { computed, counters, type Family } from "../../manager/metrics/family.ts";
import type { RelayEvents } from "./relay-stream.ts";
import type { WatchedCluster } from "./watched-cluster.ts";

export interface ImportTelemetry {
  readonly relays: RelayEvents;
  readonly streams: Pick<PickerMetrics, "streamOpened" | "streamClosed">;
  /** Metric families for /metrics. */
  readonly families: readonly Family[];
}

/** Cluster label of requests that no cluster could serve. */
const nowhere = "";

/**
 * Creates the metrics of an import's picker.
 *
 * @param name name of the import
 */
export function importTelemetry(
  name: string,
  clusters: () => readonly WatchedCluster[],
  build: Build,
  log: Log,
): ImportTelemetry {
  const labels = ["name", "cluster"];
  const sent = counters({
    name: "inference_import_requests_total",
    help: "Requests sent to a cluster; with an empty cluster, requests that no cluster could serve.",
    labels,
  });
  const failedOver = counters({
    name: "inference_import_failovers_total",
    help: "Requests that were sent to another cluster because this one could not be reached.",
    labels,
  });
  const lost = counters({
    name: "inference_import_interrupted_requests_total",
    help: "Requests that ended early because the connection to their cluster failed after its first message.",
    labels,
  });
  const usable = computed(
    "gauge",
    {
      name: "inference_import_cluster_up",
      help: "1 if the cluster gets requests, else 0.",
      labels,
    },
    () =>
      clusters().map((cluster) => ({
        labels: [name, cluster.name],
        value: cluster.usable ? 1 : 0,
      })),
  );
  const picker = new PickerMetrics(build, (model) => model);
  return {
    streams: picker,
    relays: {
      sent(cluster) {
        sent.series(name, cluster ?? nowhere).value += 1;
      },
      failedOver(cluster, error) {
        failedOver.series(name, cluster).value += 1;
        log.warn("a request was sent to another cluster", { cluster, error: error.message });
      },
      lost(cluster, error) {
        lost.series(name, cluster).value += 1;
        log.error("the connection to a cluster failed during a request", error, { cluster });
      },
    },
    families: [sent, failedOver, lost, usable, ...picker.families],
  };
}
