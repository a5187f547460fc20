import { type LabelSelector, parseLabelSelector } from "../../kubernetes/values/label-selector.ts";
import { annotation } from "../names.ts";
import { type ExportMode, exportedTo, exportModes } from "../spec/export.ts";
import type { PoolView } from "./view.ts";

/** The export that the annotations of a pool request. */
export type ExportRequest =
  | { readonly kind: "none" }
  | {
      readonly kind: "exported";
      readonly mode: ExportMode;
      /** Selects the members that import the pool; undefined for all. */
      readonly to: LabelSelector | undefined;
    }
  /** Requested, but not possible. */
  | { readonly kind: "refused"; readonly message: string };

const defaultMode: ExportMode = "EndpointMode";

/** Returns `none` for a pool that is being deleted, and for a pool with an export mode but no export. */
export function exportRequest(
  pool: Pick<PoolView, "deleting" | "export" | "exportMode" | "exportTo" | "picker"> | undefined,
): ExportRequest {
  if (pool?.export === undefined || pool.deleting) return { kind: "none" };
  if (pool.export !== exportedTo)
    return refused(
      `${annotation.export} is ${JSON.stringify(pool.export)}; allowed: ${exportedTo}`,
    );
  const mode = exportModes.find((each) => each === (pool.exportMode ?? defaultMode));
  if (mode === undefined)
    return refused(
      `${annotation.exportMode} is ${JSON.stringify(pool.exportMode)}; allowed: ${exportModes.join(" or ")}`,
    );
  if (pool.picker?.service?.type === "ExternalName")
    return refused(
      `Service ${pool.picker.name} of the endpoint picker has type ExternalName; allowed: a Service with endpoints`,
    );
  const to = pool.exportTo === undefined ? undefined : parseLabelSelector(pool.exportTo);
  if (pool.exportTo !== undefined && to === undefined)
    return refused(
      `${annotation.exportTo} is ${JSON.stringify(pool.exportTo)}; allowed: a label selector such as tier=prod`,
    );
  return { kind: "exported", mode, to };
}

const refused = (message: string): ExportRequest => ({ kind: "refused", message });
