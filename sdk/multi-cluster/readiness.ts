import type { ExportMode } from "../spec/export.ts";
import { listed } from "../status/conditions.ts";
import type { Exporter } from "./exporters.ts";
import type { ClusterFinding, ImportFinding } from "./reasons.ts";
import type { PoolView } from "./view.ts";

/** Returns whether a followed cluster can serve requests for a pool that it exports. */
export function clusterReadiness(mode: ExportMode, pool: PoolView): ClusterFinding {
  const message = "";
  // A gateway also responds without a ready picker, but refuses every request.
  if ((pool.picker?.ready ?? 0) === 0)
    return { type: "Ready", status: "False", reason: "PickerNotReady", message };
  if (mode === "EndpointMode")
    return { type: "Ready", status: "True", reason: "PickerReady", message };
  const programmed = pool.gateways.filter((gateway) => gateway.programmed?.status === "True");
  if (programmed.length === 0)
    return { type: "Ready", status: "False", reason: "NoParentProgrammed", message };
  // A gateway returns 404 for a route that it has rejected.
  return programmed.some(({ acceptsRoute }) => acceptsRoute)
    ? { type: "Ready", status: "True", reason: "ParentProgrammed", message }
    : { type: "Ready", status: "False", reason: "NoRouteAccepted", message };
}

/** Readiness of a cluster whose API server is unreachable; it may still serve requests. */
export const unknownReadiness: ClusterFinding = {
  type: "Ready",
  status: "Unknown",
  reason: "ClusterUnreachable",
  message: "",
};

/** An import is ready if one of its clusters is. */
export function importReadiness(exporters: readonly Exporter[]): ImportFinding {
  const having = (status: ClusterFinding["status"]) =>
    exporters.filter(({ readiness }) => readiness.status === status).map(({ name }) => name);
  const ready = having("True");
  if (ready.length > 0)
    return { type: "Ready", status: "True", reason: "ClusterReady", message: listed(ready) };
  const unknown = having("Unknown");
  if (unknown.length > 0)
    return {
      type: "Ready",
      status: "Unknown",
      reason: "ClusterUnreachable",
      message: listed(unknown),
    };
  return {
    type: "Ready",
    status: "False",
    reason: "NoClusterReady",
    message: listed(having("False")),
  };
}
