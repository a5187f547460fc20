import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import type {
  ImportController,
  ImportedCluster,
} from "../../../sdk/multi-cluster/import-schema.ts";
import { sortedConditions } from "../../../sdk/multi-cluster/import-status.ts";
import type { Condition, DetailView, ImportView } from "../../../sdk/multi-cluster/view.ts";
import { annotation, label } from "../../../sdk/names.ts";
import { managedBy } from "../../../sdk/topology/multi-cluster-names.ts";
import { clusters as clustersShape, has, importStatus } from "./member-shapes.ts";

interface ImportObject extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly generation?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly clusters?: readonly ImportedCluster[];
    readonly conditions?: readonly Condition[];
    readonly controllers?: readonly ImportController[];
  };
}

/**
 * Returns a reader of InferencePoolImports for the named controller. It returns undefined if the status does not match
 * the CRD.
 */
export function readImport(
  controllerName: string,
): (object: KubernetesObject) => ImportView | undefined {
  const ours = managedBy(controllerName);
  return (object) => {
    const { metadata, status = {} } = object as ImportObject;
    if (!has(importStatus, status)) return undefined;
    const { controllers = [], clusters = [], conditions = [], observedGeneration } = status;
    const entry = controllers.find(({ name }) => name === controllerName);
    return {
      uid: metadata.uid ?? "",
      resourceVersion: metadata.resourceVersion ?? "",
      generation: metadata.generation,
      deleting: metadata.deletionTimestamp !== undefined,
      ours: metadata.labels?.[label.managedBy] === ours,
      entry: entry && {
        exporters: (entry.exportingClusters ?? []).map(({ name }) => name),
        conditions: sortedConditions(entry.conditions ?? []),
      },
      others: controllers.filter(({ name }) => name !== controllerName),
      clusters: sortedClusters(clusters),
      conditions,
      observedGeneration,
      detail: readDetail(metadata.annotations?.[annotation.importDetail], controllerName),
    };
  };
}

/** Sorts the clusters, because the API server keeps them in its own order. */
const sortedClusters = (clusters: readonly ImportedCluster[]): ImportedCluster[] =>
  clusters
    .map((cluster) => ({
      ...cluster,
      ...(cluster.conditions && { conditions: sortedConditions(cluster.conditions) }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Content of the annotation of an import. */
export interface ImportDetail {
  /** Name of the controller that wrote it. */
  readonly controller: string;
  /** Same shape as `status.clusters`. */
  readonly clusters: readonly ImportedCluster[];
}

/** An annotation that cannot be parsed counts as this controller's, so that it is written again. */
function readDetail(text: string | undefined, controllerName: string): DetailView | undefined {
  if (text === undefined) return undefined;
  try {
    const { controller, clusters } = JSON.parse(text) as Partial<ImportDetail>;
    return {
      ours: controller === controllerName,
      clusters: has(clustersShape, clusters) ? clusters : undefined,
    };
  } catch {
    return { ours: true, clusters: undefined };
  }
}
