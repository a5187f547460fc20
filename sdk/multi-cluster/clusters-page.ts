/** What a controller of a cluster set tells operators, as JSON at `/debug/clusters` of its metrics port. */
export interface ClustersPage {
  /** `domain/path`. */
  readonly controllerName: string;
  /** Whether the process that answers is the one that writes. */
  readonly leading: boolean;
  readonly members: readonly MemberPage[];
}

export interface MemberPage {
  readonly name: string;
  /** `current` for one that is followed as it changes. */
  readonly state: string;
  /** Why it is not followed, or does not count; undefined where it does. */
  readonly problem?: string | undefined;
  /** Seconds since it was last followed; 0 where it is. */
  readonly age: number;
  /** Names, `namespace/name`, that wait for a write. */
  readonly queued: number;
  readonly exports: readonly ExportPage[];
  readonly imports: readonly ImportPage[];
}

/** A pool that its annotations say something of export about. */
export interface ExportPage {
  /** `namespace/name`. */
  readonly pool: string;
  /** Whether every member that should have the pool does. */
  readonly exported: boolean;
  /** Reason of the Exported condition, or why there is none. */
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
