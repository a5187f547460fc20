import { type ResourceState, referencesOf } from "./resource-state.ts";

/** Returns the resources sorted so that each follows its references, otherwise in the given order. */
export function dependencyOrder(resources: readonly ResourceState[]): ResourceState[] {
  const byUrn = groupByUrn(resources);
  const placed = new Set<ResourceState>();
  const ordered: ResourceState[] = [];
  // An explicit stack, because a chain of dependencies may be longer than the call stack.
  for (const start of resources) {
    const stack = [start];
    const open = new Set<ResourceState>();
    while (stack.length > 0) {
      const resource = stack.at(-1) as ResourceState;
      const needed = open.has(resource)
        ? []
        : referencesOf(resource)
            .flatMap((urn) => byUrn.get(urn) ?? [])
            .filter((other) => !placed.has(other) && !open.has(other) && other !== resource);
      open.add(resource);
      if (needed.length > 0) {
        stack.push(...needed.reverse());
        continue;
      }
      stack.pop();
      if (placed.has(resource)) continue;
      placed.add(resource);
      ordered.push(resource);
    }
  }
  return ordered;
}

/** Returns, for each resource, the resources in the list that refer to it. */
export function dependents(
  resources: readonly ResourceState[],
): Map<ResourceState, Set<ResourceState>> {
  const byUrn = groupByUrn(resources);
  const result = new Map(resources.map((resource) => [resource, new Set<ResourceState>()]));
  for (const resource of resources) {
    for (const urn of referencesOf(resource)) {
      for (const needed of byUrn.get(urn) ?? []) {
        if (needed !== resource) result.get(needed)?.add(resource);
      }
    }
  }
  return result;
}

export function groupByUrn(resources: readonly ResourceState[]): Map<string, ResourceState[]> {
  const groups = new Map<string, ResourceState[]>();
  for (const resource of resources) {
    const group = groups.get(resource.urn);
    if (group === undefined) groups.set(resource.urn, [resource]);
    else group.push(resource);
  }
  return groups;
}
