import type { Condition } from "../status/conditions.ts";
import type { ImportController, ImportedCluster, ServiceImport } from "./import-schema.ts";
import type { MemberPolicy } from "./member-policy.ts";

/** What is known of one name, a namespace and the name of a pool in it, throughout a cluster set. */
export interface NameView {
  readonly namespace: string;
  readonly name: string;
  /** The members of the set, and those that are leaving it. Names are unique. */
  readonly members: readonly MemberView[];
}

/** What is known of the name in one cluster. */
export interface MemberView {
  /** Name of the cluster. */
  readonly name: string;
  /** `leaving`: of the set no more. Nothing of it is exported, and what was written there goes. */
  readonly role: "member" | "leaving";
  /** It joined when the others had been read: what was written before knows nothing of it. */
  readonly joinedLate: boolean;
  /** Why it may not export the name, to follow the name; undefined where it may. */
  readonly exportDenied: string | undefined;
  /** What those who import from it hold it to. */
  readonly bounds: Pick<MemberPolicy, "networks" | "maxEndpoints">;
  /** What the cluster set says that it is. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * `current`: followed as it changes. `failing`: not for a moment. `unreachable`: not for long. `unknown`: never since
   * this process began; `starting`: not yet, which soon shows. Only the first is written to; what the others had stands.
   */
  readonly contact: "current" | "failing" | "unreachable" | "unknown" | "starting";
  /** Milliseconds since it was last followed; undefined where it is. */
  readonly silenceMs: number | undefined;
  /** Which InferencePoolImport the API server has; `absent`: none, or it is not known yet. */
  readonly imports: "superset" | "shipped" | "absent";
  readonly namespace: "active" | "terminating" | "absent";
  readonly pool: PoolView | undefined;
  readonly import: ImportView | undefined;
  /** Why the last write for the name failed here; undefined after one that did not. */
  readonly failure: string | undefined;
}

/** Whether this cluster was never synced; its exports are then known only from imports elsewhere. */
export const isUnread = ({ contact }: Pick<MemberView, "contact">): boolean =>
  contact === "unknown" || contact === "starting";

/** An InferencePool with what decides how other clusters reach it. */
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
  /** `status.parents` as it stands, of all controllers. */
  readonly parents: readonly PoolParent[];
}

export interface PickerView {
  /** Name of its Service. */
  readonly name: string;
  /** Port on which the Service takes ext-proc streams. */
  readonly port: number;
  /** Undefined where the Service does not exist. */
  readonly service: ServiceView | undefined;
  /** Endpoints of the Service that are ready. */
  readonly ready: number;
}

export interface ServiceView {
  readonly type: ServiceImport["type"];
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

/** A Gateway that sends requests to the pool, by the HTTPRoutes that use it. */
export interface GatewayView {
  readonly namespace: string;
  readonly name: string;
  readonly addresses: readonly string[];
  /** Ports of the listeners that the routes are attached to. */
  readonly ports: readonly number[];
  /** Its condition; undefined where it has none. */
  readonly programmed: Condition | undefined;
  /** Whether it has accepted one of the routes. */
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

/** An InferencePoolImport, as far as one controller is concerned. */
export interface ImportView {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number | undefined;
  readonly deleting: boolean;
  /** Whether it has this controller's label: it made the import, and may delete it. */
  readonly ours: boolean;
  /** This controller's entry of `status.controllers`. */
  readonly entry: ImportEntry | undefined;
  /** The entries of other controllers. */
  readonly others: readonly ImportController[];
  /** `status.clusters` and `status.conditions`, of all writers. */
  readonly clusters: readonly ImportedCluster[];
  readonly conditions: readonly Condition[];
  readonly observedGeneration: number | undefined;
  /** What its annotation tells; undefined where it has none. */
  readonly detail: DetailView | undefined;
}

export interface ImportEntry {
  readonly exporters: readonly string[];
  readonly conditions: readonly Condition[];
}

/** The annotation of an import that tells how its clusters are reached. */
export interface DetailView {
  /** Whether this controller wrote it, or what wrote it cannot be read. */
  readonly ours: boolean;
  /** Undefined where the text cannot be read. */
  readonly clusters: readonly ImportedCluster[] | undefined;
}

export interface MultiClusterOptions {
  /** `domain/path`. */
  readonly controllerName: string;
  /** Whether clusters that export a pool import it as well, and find themselves in its list. */
  readonly importIntoExporters: boolean;
  /** Exports of a cluster that is silent for so long are withdrawn, in milliseconds; 0 for never. */
  readonly staleAfterMs: number;
  /** How long an import is kept, without clusters, after its last export is withdrawn, in milliseconds. */
  readonly drainMs: number;
}

export type { Condition, ImportedCluster };
