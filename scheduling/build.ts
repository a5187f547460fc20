import type {
  ConfiguredBand,
  ConfiguredPlugin,
  ConfiguredPrefixCache,
  ConfiguredProfile,
  PickerConfig,
} from "./config/picker-config.ts";
import type { Replicas } from "./endpoints/rendezvous.ts";
import type { SaturationDetector } from "./endpoints/saturation.ts";
import type { CeilingPolicy, FairnessPolicy, OrderingPolicy } from "./flow-control/policies.ts";
import type { BandTemplate, FlowControlSettings } from "./flow-control/settings.ts";
import { KvIndex } from "./kv-index/kv-index.ts";
import { PrecisePrefixCache } from "./kv-index/precise-prefix-cache.ts";
import { pluginTypeOf } from "./plugins/index.ts";
import {
  prefixCacheOf,
  prefixCacheProducer,
} from "./plugins/producers/approx-prefix-cache-producer.ts";
import {
  precisePrefixCacheProducer,
  tierWeights,
} from "./plugins/producers/precise-prefix-cache-producer.ts";
import type { PrefixCache } from "./prefix-cache/prefix-match.ts";
import { observedPlugin } from "./profiles/observed-plugin.ts";
import type {
  Decider,
  Plugin,
  PluginContext,
  PluginType,
  ProfileHandler,
} from "./profiles/plugin.ts";
import type { Profile } from "./profiles/profile.ts";
import { ProfileScheduler } from "./profiles/profile-scheduler.ts";
import type { Scheduler } from "./profiles/scheduler.ts";
import { RecentRate } from "./recent-rate.ts";
import { type SchedulingObserver, silentObserver } from "./scheduling-observer.ts";
import { PrefillSpeeds } from "./server-model/prefill-speeds.ts";
import { ServerModels } from "./server-model/server-models.ts";

export interface BuildOptions {
  /** Maximum age of metrics, in ms. Default 2,000. */
  readonly staleAfterMs?: number;
  /** Default: an observer that does nothing. */
  readonly observer?: SchedulingObserver;
  /** Cache contents that model servers publish as KV events. Default: none. */
  readonly kvIndex?: KvIndex | undefined;
  /** Replicas of the picker, whose number may change. Default: one. */
  readonly replicas?: Replicas;
}

/** Builds the scheduler of a configuration. Creates each plugin once, however many references it has. */
export function buildScheduler(
  config: PickerConfig,
  {
    staleAfterMs = 2000,
    observer = silentObserver,
    kvIndex = unheard(),
    replicas = alone(),
  }: BuildOptions = {},
): Scheduler {
  const caches = new Map(
    [...config.prefixCaches].map(([name, cache]) => [name, cacheOf(cache, kvIndex, replicas)]),
  );
  const [servers, arrivals] = [new ServerModels(replicas), new RecentRate()];
  const pluginOf = pluginMaker(config, caches, observer, {
    ...{ replicas, speeds: servers.speeds, arrivals },
  });
  const plugins = config.plugins.map(pluginOf);
  return new ProfileScheduler({
    parsers: config.parsers,
    profiles: config.profiles.map((profile) => profileOf(profile, pluginOf)),
    handler: pluginOf(config.handler).profileHandler as ProfileHandler,
    detector: pluginOf(config.detector).detector as SaturationDetector,
    staleAfterMs,
    servers,
    arrivals,
    observer,
    preRequestHooks: plugins.flatMap(({ preRequestHook }) => preRequestHook ?? []),
    promptCosts: plugins.find(({ promptCosts }) => promptCosts !== undefined)?.promptCosts,
    prefixCaches: [...caches].map(([name, cache]) => ({
      cache,
      plugin: { type: producerTypes[config.prefixCaches.get(name)?.kind ?? "approximate"], name },
    })),
  });
}

const producerTypes = {
  approximate: prefixCacheProducer.type,
  precise: precisePrefixCacheProducer.type,
} as const;

const alone = (): Replicas => ({ count: 1 });

const unheard = () => new KvIndex({ seed: 0, replays: false });

function cacheOf(cache: ConfiguredPrefixCache, kvIndex: KvIndex, replicas: Replicas): PrefixCache {
  if (cache.kind === "approximate") return prefixCacheOf(cache.parameters, replicas);
  const { parameters } = cache;
  return new PrecisePrefixCache(kvIndex, prefixCacheOf(parameters.estimate, replicas), {
    weights: tierWeights(parameters),
    isSpeculative: parameters.speculativeIndexing,
  });
}

/**
 * Time from the end of a request until its free slot is visible, in ms, for detectors that read only the picker's
 * counts.
 */
const soon = 10;

/** Returns the settings of a `FlowController`, or undefined if the configuration does not enable flow control. */
export function flowControlSettings(
  config: PickerConfig,
  { observer = silentObserver }: Pick<BuildOptions, "observer"> = {},
): FlowControlSettings | undefined {
  const { flowControl } = config;
  if (flowControl === undefined) return undefined;
  const pluginOf = pluginMaker(config, new Map(), observer);
  const band = <Band extends ConfiguredBand>(given: Band): Band & BandTemplate => ({
    ...given,
    fairness: pluginOf(given.fairness).fairness as FairnessPolicy,
    ordering: pluginOf(given.ordering).ordering as OrderingPolicy,
  });
  const { detector } = pluginOf(config.detector);
  return {
    ...flowControl,
    bands: flowControl.bands.map(band),
    defaultBand: band(flowControl.defaultBand),
    defaultNegativeBand: band(flowControl.defaultNegativeBand),
    ceilings: pluginOf(flowControl.ceilings).ceilings as CeilingPolicy,
    eviction: flowControl.evicts ? { settling: detector?.lag ?? soon } : undefined,
  };
}

type MakePlugin = (configured: ConfiguredPlugin) => Plugin;

/** Facts about the pool and the picker's replicas that plugins read. */
type PoolFacts = Pick<PluginContext, "replicas" | "speeds" | "arrivals">;

const unknownPool = (): PoolFacts => ({
  replicas: alone(),
  speeds: new PrefillSpeeds(),
  arrivals: new RecentRate(),
});

/** Creates each plugin on first use, because a plugin may need another one. */
function pluginMaker(
  { plugins, profiles }: PickerConfig,
  caches: ReadonlyMap<string, PrefixCache>,
  observer: SchedulingObserver,
  facts: PoolFacts = unknownPool(),
): MakePlugin {
  const made = new Map<ConfiguredPlugin, Plugin>();
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const profileNames = profiles.map(({ name }) => name);
  const pluginOf: MakePlugin = (configured) => {
    const known = made.get(configured);
    if (known !== undefined) return known;
    const { type, name, parameters, prefixCache = "" } = configured;
    const created = (pluginTypeOf(type) as PluginType).create(parameters, {
      profileNames,
      ...facts,
      prefixCache: () => caches.get(prefixCache) as PrefixCache,
      decider: (name) => pluginOf(byName.get(name) as ConfiguredPlugin).decider as Decider,
    });
    const plugin = observedPlugin(created, { type, name }, observer);
    made.set(configured, plugin);
    return plugin;
  };
  return pluginOf;
}

function profileOf({ name, plugins, picker }: ConfiguredProfile, pluginOf: MakePlugin): Profile {
  const found = plugins.map(({ plugin, weight }) => ({
    ...pluginOf(plugin),
    weight,
    plugin: { type: plugin.type, name: plugin.name },
  }));
  return {
    name,
    filters: found.flatMap(({ filter, plugin }) =>
      filter === undefined ? [] : [{ filter, plugin }],
    ),
    scorers: found.flatMap(({ scorer, weight, plugin }) =>
      scorer === undefined ? [] : [{ scorer, weight, plugin }],
    ),
    picker: pluginOf(picker).picker as NonNullable<Plugin["picker"]>,
  };
}
