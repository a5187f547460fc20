import * as pulumi from "@pulumi/pulumi";
import { type Registering, refusedModels } from "../../sdk/routing/refused-models.ts";
import type { RoutedPool } from "../../sdk/routing/routed-pool.ts";

/** An LLMServerPool of the program, and whom it grants which names. */
export interface GrantingPool {
  /** `LLMServerPool "llama"`. */
  readonly title: string;
  readonly pool: RoutedPool;
}

/** What an LLMService of the program asks of a pool. */
export interface Registration extends Registering {
  /** `LLMService "npc-bot"`. */
  readonly title: string;
  /** `namespace/name` of the pool. */
  readonly pool: string;
}

interface Known {
  readonly pools: Map<string, GrantingPool>;
  readonly registrations: Registration[];
}

/** By program and provider, as with names: the monitor connection stands for the program. */
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
 * Notes what a pool grants.
 *
 * @throws RunError where an LLMService of the program asks for a name that it does not get there
 */
export function noteGrants(component: pulumi.Resource, granting: GrantingPool): void {
  const known = knownOf(component);
  if (known === undefined) return;
  const place = `${granting.pool.namespace}/${granting.pool.name}`;
  known.pools.set(place, granting);
  for (const registration of known.registrations)
    if (registration.pool === place) refuse(granting, registration);
}

/**
 * Notes the names that an LLMService asks for.
 *
 * @throws RunError where the pool is of the program, and does not grant one
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
