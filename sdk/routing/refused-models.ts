import { nameRefusal } from "./model-grants.ts";
import { lostInWords } from "./registrations.ts";
import type { RoutedPool } from "./routed-pool.ts";

/** The names that an LLMService registers on one pool. */
export interface Registering {
  readonly namespace: string;
  readonly models: readonly string[];
}

/**
 * Returns the reasons why a pool refuses a service or some of its names, worded to follow the service's name. Checks
 * only the grants of the pool's owner, because the order of registration is known only in a cluster.
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
