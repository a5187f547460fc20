import type { ImportedCluster } from "./import-schema.ts";

/**
 * Characters that an import's clusters may have as JSON, in its status or in its annotation. An API server takes 256 KiB of
 * annotations; who follows the import keeps it whole.
 */
export const mostDetail = 48 * 1024;

/**
 * The clusters that fit into an import, in their order. The longest are left out, so that a cluster which says too much of
 * itself is in nobody's way.
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
