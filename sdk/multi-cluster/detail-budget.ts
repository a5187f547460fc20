import type { ImportedCluster } from "./import-schema.ts";

/**
 * Maximum size of an import's clusters in its status or annotation, in characters of JSON. An API server accepts 256
 * KiB of annotations, but each client that follows the import keeps all of them in memory.
 */
export const mostDetail = 48 * 1024;

/**
 * Returns the clusters that fit into an import, in their order. The largest clusters are left out, so that a cluster
 * with too much data does not displace the other clusters.
 */
export function withinBudget(clusters: readonly ImportedCluster[]): readonly ImportedCluster[] {
  const sized = clusters
    .map((cluster) => ({ cluster, size: JSON.stringify(cluster).length }))
    .sort((a, b) => a.size - b.size);
  let budget = mostDetail;
  const fitting = new Set<ImportedCluster>();
  for (const { cluster, size } of sized) {
    budget -= size;
    if (budget < 0) break;
    fitting.add(cluster);
  }
  return clusters.filter((cluster) => fitting.has(cluster));
}
