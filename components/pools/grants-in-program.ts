import * as pulumi from "@pulumi/pulumi";
import { type Registering, refusedModels } from "../../sdk/routing/refused-models.ts";
import type { RoutedPool } from "../../sdk/routing/routed-pool.ts";

/** LLMServerPool of the program, and the model names that it grants to namespaces. */
export interface GrantingPool {
  /** Title in errors, such as `LLMServerPool "llama"`. */
  readonly title: string;
  readonly pool: RoutedPool;
}

/** Registration of an LLMService of the program on a pool. */
export interface Registration extends Registering {
  /** Title in errors, such as `LLMService "npc-bot"`. */
  readonly title: string;
  /** `namespace/name` of the pool. */
  readonly pool: string;
}

interface Known {
  readonly pools: Map<string, GrantingPool>;
  readonly registrations: Registration[];
}

/** Grants by program and provider. The monitor connection identifies the program, as in names-in-use.ts. */
const programs = new WeakMap<object, Map<pulumi.ProviderResource | undefined, Known>>();

function knownOf(component: pulumi.Resource): Known | undefined {
  const program = pulumi.runtime.getMonitor();
  if (program === undefined) return undefined;
  const provider = component.getProvider("kubernetes::");
  const providers = programs.get(program) ?? new Map<typeof provider, Known>();
  programs.set(program, providers);
  const known = providers.get(provider) ?? { pools: new Map(), registrations: [] };
  providers.set(provider, known);
  return known;
}

/**
 * Records the names that a pool grants.
 *
 * @throws RunError if an LLMService of the program registers a name that the pool does not grant it
 */
export function noteGrants(component: pulumi.Resource, granting: GrantingPool): void {
  const known = knownOf(component);
  if (known === undefined) return;
  const location = `${granting.pool.namespace}/${granting.pool.name}`;
  known.pools.set(location, granting);
  for (const registration of known.registrations)
    if (registration.pool === location) refuse(granting, registration);
}

/**
 * Records the names that an LLMService registers.
 *
 * @throws RunError if the pool is part of the program and does not grant one of them
 */
export function noteRegistration(component: pulumi.Resource, registration: Registration): void {
  const known = knownOf(component);
  if (known === undefined) return;
  known.registrations.push(registration);
  const granting = known.pools.get(registration.pool);
  if (granting !== undefined) refuse(granting, registration);
}

function refuse({ title, pool }: GrantingPool, registration: Registration): void {
  const [refused] = refusedModels(pool, registration);
  if (refused === undefined) return;
  throw new pulumi.RunError(
    `${registration.title}: ${refused.given}; allowed: what ${title} grants. ${refused.fix}`,
  );
}
