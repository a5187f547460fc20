import { counters, type Family, gauge, histograms } from "../../manager/metrics/family.ts";
import type { RecycleResult } from "./pod-recycler.ts";
import type { WriteResult } from "./status-writer.ts";

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export class ControllerMetrics {
  readonly #polls = counters({
    name: "status_controller_reconciles_total",
    help: "Reconciliations of an object, by kind and result.",
    labels: ["kind", "result"],
  });
  readonly #seconds = histograms({
    name: "status_controller_reconcile_duration_seconds",
    help: "Seconds of a reconciliation, including its write.",
    labels: ["kind"],
    bounds: seconds,
  });
  readonly #recycled = counters({
    name: "status_controller_recycled_pods_total",
    help: "Pods selected for deletion because their prefills fail, by service and result.",
    labels: ["namespace", "service", "result"],
  });
  readonly families: readonly Family[];

  constructor(state: { readonly queued: () => number; readonly leading: () => boolean }) {
    this.families = [
      this.#polls,
      this.#seconds,
      this.#recycled,
      gauge("status_controller_queue_length", "Objects queued for reconciliation.", state.queued),
      gauge(
        "status_controller_leader",
        "1 if this replica holds the Lease and writes, else 0.",
        () => (state.leading() ? 1 : 0),
      ),
    ];
  }

  /** Number of reconciliations. */
  polls = 0;

  done(work: string, result: WriteResult, milliseconds: number): void {
    const kind = kindOf(work);
    this.polls += 1;
    this.#polls.series(kind, result).value += 1;
    this.#seconds.series(kind).observe(milliseconds / 1000);
  }

  readonly recycled = (namespace: string, service: string, result: RecycleResult): void => {
    this.#recycled.series(namespace, service, result).value += 1;
  };

  failed(work: string): void {
    this.#polls.series(kindOf(work), "failed").value += 1;
  }
}

/** Keys distinguish rewrites by API group and version, but metrics do not. */
const kindOf = (work: string) => (work.includes("/") ? "InferenceModelRewrite" : work);
