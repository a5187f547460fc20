import type { ImportedCluster, InferencePoolImportStatus } from "./import-schema.ts";
import type { PoolParent } from "./view.ts";

/** One write to the API server of one member. A write with a uid does not affect another object of the same name. */
export type Write =
  /**
   * Creates an import with this controller's label and without a status, which the API server would drop. `clusters` is
   * set if the details of the clusters are in the annotation.
   */
  | { readonly kind: "create-import"; readonly clusters?: readonly ImportedCluster[] }
  /**
   * Replaces this controller's status by server-side apply, which also removes its earlier fields that are no longer
   * set.
   */
  | { readonly kind: "apply-import"; readonly uid: string; readonly status: OwnStatus }
  /**
   * Removes this controller's status and keeps the status of other controllers. Server-side apply cannot do this: a
   * list that loses its last entry becomes null, which the schema rejects.
   */
  | {
      readonly kind: "clear-import";
      readonly resourceVersion: string;
      /** A null field is removed. */
      readonly status: RemainingStatus;
    }
  /** Removes this controller's label; then the import belongs to another controller. */
  | {
      readonly kind: "release-import";
      readonly uid: string;
      readonly resourceVersion: string;
    }
  /** Deletes only this version, because another controller may have changed the import since. */
  | { readonly kind: "delete-import"; readonly uid: string; readonly resourceVersion: string }
  /** Writes the details of the clusters to the annotation of the import. */
  | {
      readonly kind: "write-detail";
      readonly uid: string;
      readonly clusters: readonly ImportedCluster[];
    }
  | { readonly kind: "remove-detail"; readonly uid: string }
  /** Replaces `status.parents` of the pool with all its entries, because the list is atomic. */
  | {
      readonly kind: "write-parents";
      readonly uid: string;
      readonly resourceVersion: string;
      readonly parents: readonly PoolParent[];
    };

export interface RemainingStatus {
  readonly controllers: NonNullable<InferencePoolImportStatus["controllers"]>;
  readonly clusters?: null;
  readonly conditions?: NonNullable<InferencePoolImportStatus["conditions"]> | null;
  readonly observedGeneration?: null;
}

/** `controllers` contains only this controller's entry. */
export type OwnStatus = Pick<InferencePoolImportStatus, "clusters" | "conditions"> & {
  readonly controllers: NonNullable<InferencePoolImportStatus["controllers"]>;
  readonly observedGeneration?: number;
};
