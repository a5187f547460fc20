import type { ExportMode } from "../../../sdk/spec/export.ts";
import type { ClusterLocation } from "./choose-cluster.ts";

/** A host, by IP address or name, and a port. */
export interface RemoteAddress {
  readonly host: string;
  readonly port: number;
}

/** A cluster that exports the imported pool, and how it is reached. */
export interface RemoteCluster {
  readonly name: string;
  readonly mode: ExportMode;
  /** Picker of the exported pool; undefined where the import names none that has an address. */
  readonly picker: RemotePicker | undefined;
  /** Gateways in front of the exported pool, without those that say of themselves that they are not programmed. */
  readonly parents: readonly RemoteAddress[];
  /** CIDRs to which requests may go; undefined for any that is not of this host or its link. */
  readonly networks: readonly string[] | undefined;
  /** Most endpoints that the cluster is believed to have; undefined for the limit of all. */
  readonly maxEndpoints: number | undefined;
  readonly location: ClusterLocation;
  /** What the import says; Unknown where it says nothing. */
  readonly ready: "True" | "False" | "Unknown";
}

export interface RemotePicker {
  /** Name of its Service in its own cluster. */
  readonly service: string;
  readonly addresses: readonly RemoteAddress[];
  /** Undefined where it shows none to other clusters. */
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
}
