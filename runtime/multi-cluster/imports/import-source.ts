import type { RemoteCluster } from "./remote-cluster.ts";

/** The place from which the clusters of an import are read. */
export interface ImportSource {
  /** `onChange` is called with all clusters, first when everything was read once, then after changes. */
  start(onChange: (clusters: readonly RemoteCluster[]) => void): void;
  /** Everything was read once, and the import exists. */
  synced(): boolean;
  stop(): Promise<void>;
}
