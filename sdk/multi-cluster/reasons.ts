import type { FindingOf, ReasonTable } from "../status/reasons.ts";

/** Conditions of exported pools, of imports and of each cluster of an import. No other reasons are used. */

export const importReasons = {
  /** At least one cluster exports the pool. */
  Accepted: {
    True: { Accepted: "At least one cluster exports the pool." },
    False: {
      ExportWithdrawn:
        "No cluster exports the pool any more. The import is deleted when it is drained.",
    },
  },
  /** At least one exporting cluster can serve requests. */
  Ready: {
    True: { ClusterReady: "The message names the clusters that are ready." },
    False: {
      NoClusterReady: "No cluster that exports the pool has a ready picker or parent.",
      ExportWithdrawn: "No cluster exports the pool any more.",
    },
    Unknown: {
      ClusterUnreachable: "No cluster is known to be ready, and some API servers are unreachable.",
    },
  },
  /** Present only while it is False. */
  ExportersReachable: {
    False: {
      ClusterUnreachable:
        "The API servers of some exporting clusters are unreachable. The message names the clusters.",
    },
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
      NoRouteAccepted: "No programmed gateway has accepted a route to the pool.",
    },
    Unknown: { ClusterUnreachable: "The cluster's API server is unreachable." },
  },
} as const satisfies ReasonTable;

export const poolReasons = {
  /** All members of the set have the pool (Multi-Cluster Inference proposal, `Exported`). */
  Exported: {
    True: { Exported: "Every selected member imports the pool." },
    False: {
      Pending: "No member imports the pool. The message gives the reason.",
      PartiallyExported:
        "Some members do not import the pool. The message names them and gives the reasons.",
      NotAllowed:
        "The cluster set does not let this cluster export the name. The message gives the reason.",
      NotSupported:
        "The export annotations are not supported. The message names the allowed values.",
    },
  },
  /** Present only while it is True. */
  Conflict: {
    True: {
      AppProtocolConflict: "Clusters export pools with the same name and different protocols.",
    },
  },
} as const satisfies ReasonTable;

export type ImportFinding = FindingOf<typeof importReasons>;
export type ClusterFinding = FindingOf<typeof clusterReasons>;
export type PoolFinding = FindingOf<typeof poolReasons>;
