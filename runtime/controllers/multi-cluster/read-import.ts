import type {
  ImportController,
  ImportedCluster,
} from "../../../sdk/multi-cluster/import-schema.ts";
import { sortedConditions } from "../../../sdk/multi-cluster/import-status.ts";
import { companionKey, managedBy } from "../../../sdk/multi-cluster/names.ts";
import type { CompanionView, Condition, ImportView } from "../../../sdk/multi-cluster/view.ts";
import { label } from "../../../sdk/topology/names.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

interface ImportObject extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly generation?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly clusters?: readonly ImportedCluster[];
    readonly conditions?: readonly Condition[];
    readonly controllers?: readonly ImportController[];
  };
}

/** An InferencePoolImport as the controller of that name sees it. */
export function readImport(controllerName: string): (object: KubernetesObject) => ImportView {
  const ours = managedBy(controllerName);
  return (object) => {
    const { metadata, status = {} } = object as ImportObject;
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
    };
  };
}

/** The API server keeps entries in an order of its own. */
const sortedClusters = (clusters: readonly ImportedCluster[]): ImportedCluster[] =>
  clusters
    .map((cluster) => ({
      ...cluster,
      ...(cluster.conditions && { conditions: sortedConditions(cluster.conditions) }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

interface ConfigMapObject extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly ownerReferences?: ReadonlyArray<{ readonly uid: string }>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** The ConfigMap beside an import. */
export function readCompanion(controllerName: string): (object: KubernetesObject) => CompanionView {
  const ours = managedBy(controllerName);
  return (object) => {
    const { metadata, data } = object as ConfigMapObject;
    return {
      uid: metadata.uid ?? "",
      resourceVersion: metadata.resourceVersion ?? "",
      ours: metadata.labels?.[label.managedBy] === ours,
      owner: metadata.ownerReferences?.[0]?.uid,
      clusters: parseClusters(data?.[companionKey]),
    };
  };
}

function parseClusters(text: string | undefined): ImportedCluster[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return Array.isArray(value) ? (value as ImportedCluster[]) : undefined;
  } catch {
    return undefined;
  }
}
