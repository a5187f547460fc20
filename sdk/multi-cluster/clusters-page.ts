/** Page of the controller of a cluster set for operators, as JSON at `/debug/clusters` of its metrics port. */
export interface ClustersPage {
  /** `domain/path`. */
  readonly controllerName: string;
  /** Whether the process that responds is the leader, which writes. */
  readonly leading: boolean;
  readonly members: readonly MemberPage[];
}

export interface MemberPage {
  readonly name: string;
  /** `current` while the member is followed. */
  readonly state: string;
  /** Why the member is not followed or is refused; undefined if there is no problem. */
  readonly problem?: string | undefined;
  /** Seconds since it was last followed; 0 while it is followed. */
  readonly age: number;
  /** Number of names (`namespace/name`) that wait for a write. */
  readonly queued: number;
  readonly exports: readonly ExportPage[];
  readonly imports: readonly ImportPage[];
}

/** A pool with export annotations. */
export interface ExportPage {
  /** `namespace/name`. */
  readonly pool: string;
  /** Whether every member that should import the pool imports it. */
  readonly exported: boolean;
  /** Reason of the Exported condition, or the reason why there is no such condition. */
  readonly reason: string;
  readonly message: string;
}

export interface ImportPage {
  /** `namespace/name`. */
  readonly name: string;
  readonly clusters: readonly string[];
  /** Status of the Ready condition. */
  readonly ready?: string | undefined;
}
