import * as pulumi from "@pulumi/pulumi";

/** Pool of the program, and the pods that it selects. */
export interface SelectingPool {
  /** Title in errors, such as `LLMServerPool "llama"`. */
  readonly title: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Pods that a service creates and its own pool selects, by the labels of each role. */
export interface ServicePods {
  /** Title in errors, such as `InferenceService "deepseek"`. */
  readonly title: string;
  readonly namespace: string;
  readonly labels: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** Pods that a program selects and creates in one cluster. */
interface Claims {
  readonly pools: SelectingPool[];
  readonly services: ServicePods[];
}

/** Claims by program and provider. The monitor connection identifies the program, as in names-in-use.ts. */
const programs = new WeakMap<object, Map<pulumi.ProviderResource | undefined, Claims>>();

function claimsOf(component: pulumi.Resource): Claims | undefined {
  const program = pulumi.runtime.getMonitor();
  if (program === undefined) return undefined;
  const provider = component.getProvider("kubernetes::");
  const providers = programs.get(program) ?? new Map<typeof provider, Claims>();
  programs.set(program, providers);
  const claims = providers.get(provider) ?? { pools: [], services: [] };
  providers.set(provider, claims);
  return claims;
}

/**
 * Records the pods that a pool selects, and rejects a second pool that could select the same pod: two pickers would
 * then send requests to it independently. Pools are disjoint if their selectors have different values for one label.
 *
 * @throws RunError naming both pools
 */
export function claimPods(component: pulumi.Resource, pool: SelectingPool): void {
  const claims = claimsOf(component);
  if (claims === undefined) return;
  const other = claims.pools.find((known) => known.name !== pool.name && mayMeet(known, pool));
  if (other !== undefined) throw overlap(other, pool);
  const service = claims.services.find((known) => selects(pool, known));
  if (service !== undefined) throw taken(service, pool);
  claims.pools.push(pool);
}

/**
 * Records the pods of a service that has a pool, and rejects them if another pool selects one of them.
 *
 * @throws RunError naming both
 */
export function claimServicePods(component: pulumi.Resource, service: ServicePods): void {
  const claims = claimsOf(component);
  if (claims === undefined) return;
  const pool = claims.pools.find((known) => selects(known, service));
  if (pool !== undefined) throw taken(service, pool);
  claims.services.push(service);
}

/** Reports whether a pool may select a pod of a service. An unknown label matches any value. */
const selects = (pool: SelectingPool, service: ServicePods): boolean =>
  pool.namespace === service.namespace &&
  service.labels.some((labels) =>
    Object.entries(pool.labels).every(([key, value]) => labels[key] === value),
  );

/** Reports whether one pod can have the labels of both. */
export function mayMeet(a: SelectingPool, b: SelectingPool): boolean {
  return (
    a.namespace === b.namespace &&
    Object.entries(a.labels).every(
      ([key, value]) => b.labels[key] === undefined || b.labels[key] === value,
    )
  );
}

const words = ({ labels }: SelectingPool) =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");

const taken = (service: ServicePods, pool: SelectingPool): Error =>
  new pulumi.RunError(
    `${pool.title}: selects ${words(pool)}, and thus pods of ${service.title}, which has its own pool; ` +
      "allowed: pools that share no pod. Select by a label that the service's pods do not have, or leave out its router.",
  );

function overlap(first: SelectingPool, second: SelectingPool): Error {
  return new pulumi.RunError(
    `${second.title}: selects ${words(second)}, and ${first.title} selects ${words(first)} in the same namespace, ` +
      "so a pod could match both; allowed: pools that share no pod. " +
      "Give both selectors one label in common with a different value in each.",
  );
}
