import { kinds } from "../../../kubernetes/kinds/index.ts";
import {
  type LLMServiceObject,
  type LostName,
  noRegistrations,
  type Registrations,
  registrationsOf,
} from "../../../sdk/routing/registrations.ts";
import {
  type ModelRewriteObject,
  noRewrites,
  type RewriteTable,
  rewriteTable,
} from "../../../sdk/routing/rewrite-table.ts";
import type { PoolObject } from "./read-objects.ts";

/** The registrations and rewrites of a pool. */
export interface PoolRouting {
  readonly pool: PoolObject | undefined;
  readonly registrations: Registrations;
  /** Names that services did not get, by `namespace/name` of the service. */
  readonly lost: ReadonlyMap<string, readonly LostName[]>;
  readonly table: RewriteTable;
  /** Rules that are not used, by `namespace/name` of the rewrite. */
  readonly unused: ReadonlyMap<string, readonly string[]>;
}

const nothing: PoolRouting = {
  pool: undefined,
  registrations: noRegistrations,
  lost: new Map(),
  table: noRewrites,
  unused: new Map(),
};

/** Objects whose status a new routing may change. */
export interface Affected {
  /** `namespace/name` */
  readonly services: Iterable<string>;
  readonly rewrites: Iterable<string>;
}

interface AboutPool {
  readonly services: Map<string, LLMServiceObject>;
  readonly rewrites: Map<string, ModelRewriteObject>;
  /** Services that changed since the routing was last computed. */
  readonly changedServices: Set<string>;
  readonly changedRewrites: Set<string>;
  routing: PoolRouting;
}

/**
 * The routing of every pool. It is computed for a pool as a whole, because one object can change the result for any
 * other. It is not computed for every change, because a pool may have thousands of services and rewrites.
 */
export class PoolRoutings {
  readonly #pools = new Map<string, AboutPool>();

  /** @param key `namespace/name` of the InferencePool */
  of(key: string): PoolRouting {
    return this.#pools.get(key)?.routing ?? nothing;
  }

  /** Keys of all known pools. */
  keys(): Iterable<string> {
    return [...this.#pools.keys()];
  }

  /** Whether a service changed since its pools were last computed. */
  awaits({ pools }: LLMServiceObject, key: string): boolean {
    return pools.some((pool) => this.#pools.get(keyOfPool(pool))?.changedServices.has(key));
  }

  /** Whether a rewrite changed since its pool was last computed. */
  awaitsRewrite({ namespace, poolRef: { name } }: ModelRewriteObject, key: string): boolean {
    return this.#pools.get(keyOfPool({ namespace, name }))?.changedRewrites.has(key) ?? false;
  }

  /** Yields the keys of pools that services name. */
  *withServices(): Iterable<string> {
    for (const [key, { services }] of this.#pools) if (services.size > 0) yield key;
  }

  /** Returns the services that name a pool, even if it does not exist or does not admit them. */
  servicesOf(key: string): Iterable<string> {
    return this.#pools.get(key)?.services.keys() ?? [];
  }

  /** Replaces, adds or removes a service. Returns the pools to recompute. */
  putService(
    key: string,
    service: LLMServiceObject | undefined,
    before: LLMServiceObject | undefined,
  ): string[] {
    const old = (before?.pools ?? []).map(keyOfPool);
    const pools = (service?.pools ?? []).map(keyOfPool);
    for (const pool of old) if (!pools.includes(pool)) this.#about(pool).services.delete(key);
    for (const pool of pools)
      if (service !== undefined) this.#about(pool).services.set(key, service);
    const touched = [...new Set([...old, ...pools])];
    for (const pool of touched) this.#about(pool).changedServices.add(key);
    return touched;
  }

  /** Replaces, adds or removes a rewrite. Returns the pools to recompute. */
  putRewrite(
    key: string,
    rewrite: ModelRewriteObject | undefined,
    before: ModelRewriteObject | undefined,
  ): string[] {
    const old = before && keyOfPool({ namespace: before.namespace, name: before.poolRef.name });
    const pool = rewrite && keyOfPool({ namespace: rewrite.namespace, name: rewrite.poolRef.name });
    if (old !== undefined && old !== pool) this.#about(old).rewrites.delete(key);
    if (pool !== undefined && rewrite !== undefined) this.#about(pool).rewrites.set(key, rewrite);
    const touched = [...new Set([old, pool])].filter((each) => each !== undefined);
    for (const each of touched) this.#about(each).changedRewrites.add(key);
    return touched;
  }

  /** Recomputes the routing of a pool. */
  update(key: string, pool: PoolObject | undefined): Affected {
    const about = this.#about(key);
    const before = about.routing;
    const after = routingOf(key, pool, about);
    about.routing = after;
    const services = new Set(about.changedServices);
    const rewrites = new Set(about.changedRewrites);
    about.changedServices.clear();
    about.changedRewrites.clear();
    if (areEqualRoutings(before.pool, pool)) {
      for (const each of differing(before.lost, after.lost)) services.add(each);
      for (const each of differing(before.unused, after.unused)) rewrites.add(each);
    } else {
      for (const each of about.services.keys()) services.add(each);
      for (const each of about.rewrites.keys()) rewrites.add(each);
    }
    if (pool === undefined && about.services.size === 0 && about.rewrites.size === 0)
      this.#pools.delete(key);
    return { services, rewrites };
  }

  #about(key: string): AboutPool {
    let about = this.#pools.get(key);
    if (about === undefined) {
      about = {
        services: new Map(),
        rewrites: new Map(),
        changedServices: new Set(),
        changedRewrites: new Set(),
        routing: nothing,
      };
      this.#pools.set(key, about);
    }
    return about;
  }
}

const keyOfPool = ({ namespace, name }: { namespace: string; name: string }) =>
  `${namespace}/${name}`;

function routingOf(key: string, pool: PoolObject | undefined, about: AboutPool): PoolRouting {
  const [namespace = "", name = ""] = key.split("/");
  const registrations =
    pool === undefined ? noRegistrations : registrationsOf(pool, [...about.services.values()]);
  // The table is also computed for a pool that does not exist yet.
  const table = rewriteTable({ group: kinds.InferencePool.group, namespace, name }, [
    ...about.rewrites.values(),
  ]);
  return {
    pool,
    registrations,
    lost: grouped(
      registrations.lost,
      ({ service }) => service,
      (each) => each,
    ),
    table,
    unused: grouped(
      table.unused,
      ({ rewrite }) => rewrite,
      ({ index, reason }) => `${index} ${reason}`,
    ),
  };
}

/** Serializes the registration rules of a pool, to compare two versions as text. */
const registeringIn = (pool: PoolObject): string =>
  JSON.stringify([
    pool.registrationRequired,
    pool.allowedNamespaces,
    [...pool.modelsOf],
    pool.reservedModels ?? null,
  ]);

/** Whether two versions of a pool are equal for its services and rewrites. */
function areEqualRoutings(a: PoolObject | undefined, b: PoolObject | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.picker === b.picker && registeringIn(a) === registeringIn(b);
}

function grouped<Entry, Value>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  entryOf: (entry: Entry) => Value,
): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entryOf(entry)]);
    else group.push(entryOf(entry));
  }
  return groups;
}

/** Yields the keys whose values differ. */
function* differing(
  a: ReadonlyMap<string, readonly unknown[]>,
  b: ReadonlyMap<string, readonly unknown[]>,
): Iterable<string> {
  for (const [key, values] of b)
    if (JSON.stringify(a.get(key)) !== JSON.stringify(values)) yield key;
  for (const key of a.keys()) if (!b.has(key)) yield key;
}
