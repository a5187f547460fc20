import type { FindingOf, ReasonTable } from "../status/reasons.ts";

/** Conditions of exported pools, of imports and of each cluster of an import. The lists are closed. */

export const importReasons = {
  /** The import stands for pools that are exported. */
  Accepted: {
    True: { Accepted: "At least one cluster exports the pool." },
    False: {
      ExportWithdrawn: "No cluster exports the pool any more; the import goes when it is drained.",
    },
  },
  /** At least one exporting cluster can serve requests. */
  Ready: {
    True: { ClusterReady: "The message names the clusters that are ready." },
    False: {
      NoClusterReady: "No cluster that exports the pool has a ready picker or parent.",
      ExportWithdrawn: "No cluster exports the pool any more.",
    },
    Unknown: { ClusterUnreachable: "No cluster is known to be ready; some cannot be asked." },
  },
  /** Only there while it is False. */
  ExportersReachable: {
    False: { ClusterUnreachable: "The message names the exporting clusters that cannot be asked." },
  },
} as const satisfies ReasonTable;

export const clusterReasons = {
  Ready: {
    True: {
      PickerReady: "The endpoint picker has a ready endpoint.",
      ParentProgrammed:
        "A gateway that sends requests to the pool is programmed and has accepted its route.",
    },
    False: {
      PickerNotReady: "The endpoint picker has no ready endpoint.",
      NoParentProgrammed: "No gateway that sends requests to the pool is programmed.",
      NoRouteAccepted: "No gateway that is programmed has accepted a route to the pool.",
    },
    Unknown: { ClusterUnreachable: "The cluster's API server cannot be asked." },
  },
} as const satisfies ReasonTable;

export const poolReasons = {
  /** All members of the set have the pool (Multi-Cluster Inference proposal, `Exported`). */
  Exported: {
    True: { Exported: "Every member that should import the pool does." },
    False: {
      Pending: "No member has the pool; the message says why.",
      PartiallyExported: "Some members do not have the pool; the message says which, and why.",
      NotAllowed:
        "The cluster set does not let this cluster export the name; the message says why.",
      NotSupported: "The annotations ask for what cannot be done; the message says what can.",
    },
  },
  /** Only there while it is True. */
  Conflict: {
    True: { AppProtocolConflict: "Clusters export pools of one name with different protocols." },
  },
} as const satisfies ReasonTable;

export type ImportFinding = FindingOf<typeof importReasons>;
export type ClusterFinding = FindingOf<typeof clusterReasons>;
export type PoolFinding = FindingOf<typeof poolReasons>;
