import type {
  ConfiguredPlugin,
  ConfiguredProfile,
  PickerConfig,
} from "../../../sdk/picker-config/picker-config.ts";
import type { Decider, Plugin, ProfileHandler, SaturationDetector } from "../scheduling/plugin.ts";
import { pluginTypeOf } from "../scheduling/plugin-types.ts";
import type { PrefixCache } from "../scheduling/prefix-cache/prefix-cache.ts";
import { prefixCacheOf } from "../scheduling/prefix-cache/producer.ts";
import type { Profile } from "../scheduling/profile.ts";
import { ProfileScheduler } from "../scheduling/profile-scheduler.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";

export interface BuildOptions {
  /** Milliseconds after which metrics are not believed. Default 2000. */
  readonly staleAfter?: number;
}

/** Makes the scheduler of a configuration that was read: every plugin once, whatever refers to it. */
export function buildScheduler(
  config: PickerConfig,
  { staleAfter = 2000 }: BuildOptions = {},
): Scheduler {
  const caches = new Map(
    [...config.prefixCaches].map(([name, parameters]) => [name, prefixCacheOf(parameters)]),
  );
  const pluginOf = pluginMaker(config, caches);
  const plugins = config.plugins.map(pluginOf);
  return new ProfileScheduler({
    parsers: config.parsers,
    profiles: config.profiles.map((profile) => profileOf(profile, pluginOf)),
    handler: pluginOf(config.handler).profileHandler as ProfileHandler,
    detector: pluginOf(config.detector).detector as SaturationDetector,
    staleAfter,
    launchHooks: plugins.flatMap(({ launchHook }) => launchHook ?? []),
    prefixCaches: [...caches.values()],
  });
}

type MakePlugin = (configured: ConfiguredPlugin) => Plugin;

/** Makes plugins at first use: one may need another. */
function pluginMaker(
  { plugins, profiles }: PickerConfig,
  caches: ReadonlyMap<string, PrefixCache>,
): MakePlugin {
  const made = new Map<ConfiguredPlugin, Plugin>();
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const profileNames = profiles.map(({ name }) => name);
  const pluginOf: MakePlugin = (configured) => {
    const known = made.get(configured);
    if (known !== undefined) return known;
    const { type, parameters, prefixCache = "" } = configured;
    const plugin = pluginTypeOf(type).create(parameters, {
      profileNames,
      prefixCache: () => caches.get(prefixCache) as PrefixCache,
      decider: (name) => pluginOf(byName.get(name) as ConfiguredPlugin).decider as Decider,
    });
    made.set(configured, plugin);
    return plugin;
  };
  return pluginOf;
}

function profileOf({ name, plugins, picker }: ConfiguredProfile, pluginOf: MakePlugin): Profile {
  const found = plugins.map(({ plugin, weight }) => ({ ...pluginOf(plugin), weight }));
  return {
    name,
    filters: found.flatMap(({ filter }) => (filter === undefined ? [] : [filter])),
    scorers: found.flatMap(({ scorer, weight }) =>
      scorer === undefined ? [] : [{ scorer, weight }],
    ),
    picker: pluginOf(picker).picker as NonNullable<Plugin["picker"]>,
  };
}
