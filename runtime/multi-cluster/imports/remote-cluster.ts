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
  /** Picker of the exported pool; undefined if the import lists no picker with an address. */
  readonly picker: RemotePicker | undefined;
  /** Gateways in front of the exported pool, except gateways with the condition Programmed=False. */
  readonly parents: readonly RemoteAddress[];
  /** CIDRs to which requests may be sent; undefined for any address except local and link-local ones. */
  readonly networks: readonly string[] | undefined;
  /** Upper limit for the endpoints that the cluster reports; undefined for the default limit. */
  readonly maxEndpoints: number | undefined;
  readonly location: ClusterLocation;
  /** Status of the condition Ready in the import; Unknown if there is none. */
  readonly ready: "True" | "False" | "Unknown";
}

export interface RemotePicker {
  /** Name of its Service in its own cluster. */
  readonly service: string;
  readonly addresses: readonly RemoteAddress[];
  /** Undefined if the picker does not expose it to other clusters. */
  readonly healthPort: number | undefined;
  readonly metricsPort: number | undefined;
}
