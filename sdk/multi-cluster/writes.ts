import type { ImportedCluster, InferencePoolImportStatus } from "./import-schema.ts";
import type { PoolParent } from "./view.ts";

/** One write to the API server of one member. Those with a uid are for that object and no other of its name. */
export type Write =
  /**
   * With this controller's label and without a status, which the API server would drop. `clusters` say how the clusters are
   * reached, where that is in the annotation.
   */
  | { readonly kind: "create-import"; readonly clusters?: readonly ImportedCluster[] }
  /** What this controller says from now on, by server-side apply: what it said before and does not now goes. */
  | { readonly kind: "apply-import"; readonly uid: string; readonly status: OwnStatus }
  /**
   * All that this controller said goes; what others say is written as it is. Server-side apply cannot do it: a list
   * whose last entry goes by it is null, which the schema refuses.
   */
  | {
      readonly kind: "clear-import";
      readonly resourceVersion: string;
      /** A field that is null goes. */
      readonly status: RemainingStatus;
    }
  /** This controller's label goes: the import is another's from now on. */
  | {
      readonly kind: "release-import";
      readonly uid: string;
      readonly resourceVersion: string;
    }
  /** Deletes that version only: another controller may have written to it since. */
  | { readonly kind: "delete-import"; readonly uid: string; readonly resourceVersion: string }
  /** How the clusters are reached, in the annotation of the import. */
  | {
      readonly kind: "write-detail";
      readonly uid: string;
      readonly clusters: readonly ImportedCluster[];
    }
  | { readonly kind: "remove-detail"; readonly uid: string }
  /** `status.parents` of the pool, all entries of it, since the list is replaced whole. */
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

/** `controllers` has this controller's entry alone. */
export type OwnStatus = Pick<InferencePoolImportStatus, "clusters" | "conditions"> & {
  readonly controllers: NonNullable<InferencePoolImportStatus["controllers"]>;
  readonly observedGeneration?: number;
};
