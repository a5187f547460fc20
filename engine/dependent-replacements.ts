import { replacedOnChanges } from "./property-options.ts";
import { mapMap, UNKNOWN } from "./property-value.ts";
import type { ProviderRegistry } from "./provider-registry.ts";
import { dependencyOrder, dependents } from "./state/dependency-order.ts";
import type { ResourceState } from "./state/resource-state.ts";
import { parseProviderReference } from "./urn.ts";

/**
 * Returns the dependents that must be deleted before a resource that is deleted for its replacement: those that the
 * replacement would also replace, in dependency order. Their providers decide this by a diff in which every property
 * that depends on a deleted resource is unknown.
 */
export function dependentFinder(
  resources: readonly ResourceState[],
  registry: ProviderRegistry,
): (root: ResourceState, isRegistered: (urn: string) => boolean) => Promise<ResourceState[]> {
  const ordered = dependencyOrder(resources);
  const position = new Map(ordered.map((resource, at) => [resource, at]));
  const dependentsOf = dependents(resources);
  return async (root, isRegistered) => {
    const going = new Set([root.urn]);
    const found: ResourceState[] = [];
    for (const resource of transitive(root, dependentsOf).sort(
      (a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0),
    )) {
      // A resource that is already registered cannot depend on one whose registration has just begun.
      if (isRegistered(resource.urn) || !(await goesWith(resource, going, registry))) continue;
      going.add(resource.urn);
      found.push(resource);
    }
    return found;
  };
}

function transitive(
  root: ResourceState,
  dependentsOf: ReadonlyMap<ResourceState, ReadonlySet<ResourceState>>,
): ResourceState[] {
  const reached = new Set<ResourceState>([root]);
  for (const resource of reached) {
    for (const dependent of dependentsOf.get(resource) ?? []) reached.add(dependent);
  }
  reached.delete(root);
  return [...reached];
}

async function goesWith(
  resource: ResourceState,
  going: ReadonlySet<string>,
  registry: ProviderRegistry,
): Promise<boolean> {
  const {
    urn,
    type,
    inputs = {},
    outputs = {},
    provider = "",
    propertyDependencies = {},
  } = resource;
  if (!resource.custom || resource.external) return false;
  if (provider !== "" && going.has(parseProviderReference(provider).urn)) return true;
  if (resource.deletedWith !== undefined && going.has(resource.deletedWith)) return true;
  const depends = (key: string) => (propertyDependencies[key] ?? []).some((dep) => going.has(dep));
  if (!Object.keys(inputs).some(depends)) return false;
  const diff = await registry.providerFor(type, provider).diff({
    urn,
    oldInputs: inputs,
    oldOutputs: outputs,
    newInputs: mapMap(inputs, (value, key) => (depends(key) ? UNKNOWN : value)),
  });
  const replaced = [
    ...diff.replace,
    ...replacedOnChanges(diff.changed, resource.replaceOnChanges ?? []),
  ];
  return replaced.length > 0;
}
