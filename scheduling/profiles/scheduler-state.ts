import type { Endpoint } from "../endpoints/endpoint.ts";
import type { ExcludedPair, PairHealth, PodHealth } from "../pairs/pair-health.ts";
import type { PrefixCache } from "../prefix-cache/prefix-match.ts";
import type { PluginIdentity } from "../scheduling-observer.ts";
import type { ServerModels } from "../server-model/server-models.ts";

export interface NamedPrefixCache {
  readonly plugin: PluginIdentity;
  readonly cache: PrefixCache;
}

/** State that a scheduler learns: models of the servers, contents of prefix caches and health of pairs. */
export class SchedulerState {
  readonly servers: ServerModels;
  readonly #prefixCaches: readonly NamedPrefixCache[];
  readonly #pairs: PairHealth | undefined;

  /** @param pairs health of prefiller-decoder pairs, if the scheduler selects pairs */
  constructor(
    servers: ServerModels,
    prefixCaches: readonly NamedPrefixCache[] = [],
    pairs?: PairHealth,
  ) {
    this.servers = servers;
    this.#prefixCaches = prefixCaches;
    this.#pairs = pairs;
  }

  /** Ends the unobserved requests whose end the endpoint's latest metrics show. */
  settle(endpoint: Endpoint): void {
    this.servers.read(endpoint);
  }

  /** Ends the unobserved requests that began before a time. */
  expire(before: number): void {
    this.servers.expire(before);
  }

  /** Forgets endpoints that no longer exist, and ends the unobserved requests there. */
  retain(endpoints: readonly Endpoint[]): void {
    this.servers.retain(endpoints);
    for (const { cache } of this.#prefixCaches) cache.retain(endpoints);
    this.#pairs?.retain(endpoints);
  }

  /** Prefiller-decoder pairs that get no requests now, because prefills in them failed. */
  excludedPairs(now: number): readonly ExcludedPair[] {
    return this.#pairs?.excluded(now) ?? [];
  }

  /** Returns the prefill health of pods. It omits pods whose health is unknown. */
  podHealth(endpoints: readonly Endpoint[], now: number): readonly PodHealth[] {
    return this.#pairs?.pods(endpoints, now) ?? [];
  }

  /** Number of blocks in each configured prefix cache. */
  prefixIndexes(): ReadonlyArray<{ readonly plugin: PluginIdentity; readonly size: number }> {
    return this.#prefixCaches.map(({ plugin, cache }) => ({ plugin, size: cache.size }));
  }
}
