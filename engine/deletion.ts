import { dependents, groupByUrn } from "./state/dependency-order.ts";
import { type ResourceState, referencesOf } from "./state/resource-state.ts";

export interface Deletion {
  /** Resources to delete. */
  doomed: readonly ResourceState[];
  /** Maximum number of concurrent deletions. */
  parallel: number;
  /** Returns whether the resource was deleted; if not, its dependencies are kept. */
  deleteResource: (resource: ResourceState) => Promise<boolean>;
}

/** Deletes each resource after all its dependents are deleted. */
export async function deleteInOrder({ doomed, parallel, deleteResource }: Deletion): Promise<void> {
  const byUrn = groupByUrn(doomed);
  const waitingFor = new Map(
    [...dependents(doomed)].map(([resource, needing]) => [resource, needing.size] as const),
  );
  const free = doomed.filter((resource) => waitingFor.get(resource) === 0).reverse();
  const release = (resource: ResourceState) => {
    const needed = new Set(referencesOf(resource).flatMap((urn) => byUrn.get(urn) ?? []));
    needed.delete(resource);
    for (const other of needed) {
      const left = (waitingFor.get(other) ?? 0) - 1;
      waitingFor.set(other, left);
      if (left === 0) free.push(other);
    }
  };
  const running = new Set<Promise<void>>();
  while (free.length > 0 || running.size > 0) {
    const resource = running.size < parallel ? free.shift() : undefined;
    if (resource === undefined) {
      await Promise.race(running);
      continue;
    }
    const run: Promise<void> = deleteResource(resource).then((gone) => {
      running.delete(run);
      if (gone) release(resource);
    });
    running.add(run);
  }
}
