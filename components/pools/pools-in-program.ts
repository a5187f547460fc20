import * as pulumi from "@pulumi/pulumi";

/** A pool of the program, and what it selects. */
export interface SelectingPool {
  /** `LLMServerPool "llama"`. */
  readonly title: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Pods that a service makes and its own pool selects, by the labels of each role. */
export interface ServicePods {
  /** `InferenceService "deepseek"`. */
  readonly title: string;
  readonly namespace: string;
  readonly labels: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** What a program selects and makes in one cluster. */
interface Claims {
  readonly pools: SelectingPool[];
  readonly services: ServicePods[];
}

/** Claims by program and provider, as with names: the monitor connection stands for the program. */
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
 * Notes what a pool selects, and refuses a second one that could select the same pod: a pod in two pools is picked by
 * two pickers that do not know of each other. Labels of one key with two values keep pools apart.
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
 * Notes the pods of a service with a pool of its own, and refuses them where another pool selects one.
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

/** Whether a pool selects a pod of a service. A label that is known only later may be any. */
const selects = (pool: SelectingPool, service: ServicePods): boolean =>
  pool.namespace === service.namespace &&
  service.labels.some((labels) =>
    Object.entries(pool.labels).every(([key, value]) => labels[key] === value),
  );

/** Whether a pod can have the labels of both. */
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
