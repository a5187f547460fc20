import { nameRefusal } from "./model-grants.ts";
import { lostInWords } from "./registrations.ts";
import type { RoutedPool } from "./routed-pool.ts";

/** What an LLMService asks of one pool. */
export interface Registering {
  readonly namespace: string;
  readonly models: readonly string[];
}

/**
 * Why a service gets nothing, or not all of its names, on a pool that it names: to follow the service. What the owner of a
 * pool grants is known without a cluster; who was first is not.
 */
export function refusedModels(
  pool: RoutedPool,
  { namespace, models }: Registering,
): ReadonlyArray<{ readonly given: string; readonly fix: string }> {
  if (namespace !== pool.namespace && !pool.allowedNamespaces.includes(namespace))
    return [
      {
        given: `is in namespace ${namespace}, but pool ${pool.namespace}/${pool.name} does not admit it`,
        fix: "Add the namespace to allowedNamespaces of the LLMServerPool.",
      },
    ];
  return models.flatMap((model) => {
    const why = nameRefusal(pool, namespace, model);
    if (why === undefined) return [];
    const words = lostInWords({ why, winner: undefined });
    return [
      {
        given: `contains ${JSON.stringify(model)}, which on pool ${pool.namespace}/${pool.name} ${words}`,
        fix: "Use a name that the pool's owner grants, or ask the owner to grant this name.",
      },
    ];
  });
}
