import type { RemoteCluster } from "./remote-cluster.ts";

/** Source of the clusters of an import. */
export interface ImportSource {
  /** Calls `onChange` with all clusters, first after everything was read once, then after each change. */
  start(onChange: (clusters: readonly RemoteCluster[]) => void): void;
  /** Whether everything was read once and the import exists. */
  synced(): boolean;
  stop(): Promise<void>;
}
