import type { Condition } from "../status/conditions.ts";
import type { ImportController, ImportedCluster, ServiceImport } from "./import-schema.ts";
import type { MemberPolicy } from "./member-policy.ts";

/** State of one name (a namespace and a pool name) in all clusters of a set. */
export interface NameView {
  readonly namespace: string;
  readonly name: string;
  /** Members of the set, including leaving ones. Names are unique. */
  readonly members: readonly MemberView[];
}

/** State of the name in one cluster. */
export interface MemberView {
  /** Name of the cluster. */
  readonly name: string;
  /** `leaving`: removed from the set. It exports nothing, and this controller's entries in it are removed. */
  readonly role: "member" | "leaving";
  /** Whether it joined after the other members had been read, so that earlier entries contain nothing about it. */
  readonly joinedLate: boolean;
  /** Why it may not export the name, as text that follows the name; undefined if it may. */
  readonly exportDenied: string | undefined;
  /** Limits that importing clusters apply to it. */
  readonly bounds: Pick<MemberPolicy, "networks" | "maxEndpoints">;
  /** Labels that the cluster set gives it. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * `current`: followed. `failing`: lost a short time ago. `unreachable`: lost for longer. `unknown`: never read since
   * this process started. `starting`: not read yet, but still expected. Only `current` members are written to; the
   * objects in all other members stay as they are.
   */
  readonly contact: "current" | "failing" | "unreachable" | "unknown" | "starting";
  /** Milliseconds since it was last followed; undefined while it is followed. */
  readonly silenceMs: number | undefined;
  /**
   * Kind of InferencePoolImport that the API server serves; `absent` if it serves no such kind, or if this is unknown.
   */
  readonly imports: "superset" | "shipped" | "absent";
  readonly namespace: "active" | "terminating" | "absent";
  readonly pool: PoolView | undefined;
  readonly import: ImportView | undefined;
  /** Error of the last write for the name; undefined if the write succeeded. */
  readonly failure: string | undefined;
}

/** Whether this cluster was never synced; its exports are then known only from imports elsewhere. */
export const isUnread = ({ contact }: Pick<MemberView, "contact">): boolean =>
  contact === "unknown" || contact === "starting";

/** An InferencePool, with the data on how other clusters reach it. */
export interface PoolView {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** Values of the annotations. */
  readonly export: string | undefined;
  readonly exportMode: string | undefined;
  readonly exportTo: string | undefined;
  readonly appProtocol: string;
  /** The first of the target ports. */
  readonly targetPort: number;
  readonly picker: PickerView | undefined;
  readonly gateways: readonly GatewayView[];
  /** Current `status.parents`, with the entries of all controllers. */
  readonly parents: readonly PoolParent[];
}

export interface PickerView {
  /** Name of its Service. */
  readonly name: string;
  /** Port on which the Service accepts ext_proc streams. */
  readonly port: number;
  /** Undefined if the Service does not exist. */
  readonly service: ServiceView | undefined;
  /** Number of ready endpoints of the Service. */
  readonly ready: number;
}

export interface ServiceView {
  readonly type: ServiceImport["type"];
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

/** A Gateway that sends requests to the pool through HTTPRoutes. */
export interface GatewayView {
  readonly namespace: string;
  readonly name: string;
  readonly addresses: readonly string[];
  /** Ports of the listeners that the routes are attached to. */
  readonly ports: readonly number[];
  /** Condition Programmed of the Gateway; undefined if it has no such condition. */
  readonly programmed: Condition | undefined;
  /** Whether it has accepted at least one of the routes. */
  readonly acceptsRoute: boolean;
}

/** An entry of `status.parents` of a pool. */
export interface PoolParent {
  readonly parentRef: {
    readonly group?: string;
    readonly kind?: string;
    readonly namespace?: string;
    readonly name: string;
  };
  readonly controllerName?: string;
  readonly conditions?: readonly Condition[];
}

/** An InferencePoolImport as one controller sees it. */
export interface ImportView {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number | undefined;
  readonly deleting: boolean;
  /** Whether it has the label of this controller, which created it and may delete it. */
  readonly ours: boolean;
  /** This controller's entry of `status.controllers`. */
  readonly entry: ImportEntry | undefined;
  /** The entries of other controllers. */
  readonly others: readonly ImportController[];
  /** `status.clusters` and `status.conditions`, from all writers. */
  readonly clusters: readonly ImportedCluster[];
  readonly conditions: readonly Condition[];
  readonly observedGeneration: number | undefined;
  /** Content of the import's annotation; undefined if it has no such annotation. */
  readonly detail: DetailView | undefined;
}

export interface ImportEntry {
  readonly exporters: readonly string[];
  readonly conditions: readonly Condition[];
}

/** Annotation of an import that describes how its clusters are reached. */
export interface DetailView {
  /** Whether this controller wrote it, or its writer cannot be read. */
  readonly ours: boolean;
  /** Undefined if the text cannot be parsed. */
  readonly clusters: readonly ImportedCluster[] | undefined;
}

export interface MultiClusterOptions {
  /** `domain/path`. */
  readonly controllerName: string;
  /** Whether clusters that export a pool also import it; each import then also lists its own cluster. */
  readonly importIntoExporters: boolean;
  /** Silence after which a cluster's exports are withdrawn, in ms; 0 for never. */
  readonly staleAfterMs: number;
  /** How long an import without clusters is kept after its last export is withdrawn, in ms. */
  readonly drainMs: number;
}

export type { Condition, ImportedCluster };
