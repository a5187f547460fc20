import type { MemberView } from "../../../sdk/multi-cluster/view.ts";
import {
  computed,
  counters,
  type Family,
  gauge,
  histograms,
  type Sample,
} from "../../manager/metrics/family.ts";

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** State of a cluster set from which its metrics are computed. */
export interface MeasuredSet {
  readonly leading: boolean;
  readonly planned: number;
  readonly members: Iterable<MeasuredMember>;
}

export interface MeasuredMember {
  readonly name: string;
  /** `refused`: another member has the same cluster. */
  readonly state: MemberView["contact"] | "leaving" | "refused";
  readonly queued: number;
  /** Milliseconds since the member was last followed; 0 while it is followed. */
  readonly silenceMs: number;
  /** Number of pools that the member exports, and number of its imports with this controller's entry. */
  readonly exports: number;
  readonly imports: number;
}

/** Metrics of the controller of a cluster set. */
export class MultiClusterMetrics {
  readonly #writes = counters({
    name: "multi_cluster_writes_total",
    help: "Writes to a member, by operation and result.",
    labels: ["member", "write", "result"],
  });
  readonly #seconds = histograms({
    name: "multi_cluster_write_duration_seconds",
    help: "Seconds of a write to a member.",
    labels: ["member"],
    bounds,
  });
  readonly #contended = counters({
    name: "multi_cluster_status_conflicts_total",
    help: "Writes of an entry in a pool's status that were delayed because another controller removes the entry.",
    labels: ["member"],
  });
  readonly families: readonly Family[];

  constructor(set: () => MeasuredSet) {
    const perMember = (name: string, help: string, read: (member: MeasuredMember) => number) =>
      computed("gauge", { name: `multi_cluster_${name}`, help, labels: ["member"] }, () =>
        [...set().members].map((member) => ({ labels: [member.name], value: read(member) })),
      );
    this.families = [
      this.#writes,
      this.#seconds,
      this.#contended,
      computed(
        "gauge",
        { name: "multi_cluster_members", help: "Members, by state.", labels: ["member", "state"] },
        () =>
          [...set().members].map(
            ({ name, state }): Sample => ({ labels: [name, state], value: 1 }),
          ),
      ),
      perMember(
        "write_queue_length",
        "Objects queued for a write to the member.",
        ({ queued }) => queued,
      ),
      perMember(
        "member_staleness_seconds",
        "Seconds since the last event from the member; 0 while its watches are open.",
        ({ silenceMs }) => silenceMs / 1000,
      ),
      perMember("exported_pools", "Pools that the member exports.", ({ exports }) => exports),
      perMember(
        "imports",
        "Imports in the member that contain an entry of this controller.",
        ({ imports }) => imports,
      ),
      gauge("multi_cluster_plan_queue_length", "Names queued for planning.", () => set().planned),
      gauge("multi_cluster_leader", "1 if this replica holds the Lease and writes, else 0.", () =>
        set().leading ? 1 : 0,
      ),
    ];
  }

  wrote(member: string, write: string, result: string, milliseconds: number): void {
    this.#writes.series(member, write, result).value += 1;
    this.#seconds.series(member).observe(milliseconds / 1000);
  }

  contended(member: string): void {
    this.#contended.series(member).value += 1;
  }
}
