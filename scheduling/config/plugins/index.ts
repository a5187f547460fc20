import type { PluginDescription, PluginKind } from "../plugin-description.ts";
import { dataPlugins, ignoredPlugins, simplifiedPlugins } from "./data-plugins.ts";
import * as deciders from "./deciders.ts";
import * as detectors from "./detectors.ts";
import * as filters from "./filters.ts";
import { parserNames } from "./parsers.ts";
import * as pickers from "./pickers.ts";
import * as handlers from "./profile-handlers.ts";
import * as scorers from "./scorers.ts";
import * as sessions from "./session-affinity.ts";

/** Every plugin that takes part in scheduling, once, in the order of the reference page. */
export const schedulingPlugins: readonly PluginDescription[] = [
  filters.labelSelectorFilter,
  filters.byLabelSelectorFilter,
  filters.byLabelFilter,
  filters.decodeFilter,
  filters.prefillFilter,
  filters.encodeFilter,
  filters.prefixCacheAffinityFilter,
  sessions.sessionAffinityFilter,
  filters.contextLengthAware,
  filters.headerBasedTestingFilter,
  detectors.utilizationDetector,
  detectors.concurrencyDetector,
  scorers.queueScorer,
  scorers.runningRequestsSizeScorer,
  scorers.kvCacheUtilizationScorer,
  scorers.prefixCacheScorer,
  scorers.precisePrefixCacheScorer,
  scorers.loraAffinityScorer,
  scorers.loadAwareScorer,
  scorers.activeRequestScorer,
  scorers.tokenLoadScorer,
  scorers.noHitLruScorer,
  sessions.sessionAffinityScorer,
  pickers.maxScorePicker,
  pickers.randomPicker,
  pickers.weightedRandomPicker,
  handlers.singleProfileHandler,
  handlers.disaggProfileHandler,
  handlers.pdProfileHandler,
  handlers.headerProfileHandler,
  handlers.dataParallelProfileHandler,
  deciders.alwaysDisaggregate,
  deciders.prefixBasedDecider,
  deciders.multimodalDecider,
] as readonly PluginDescription[];

const byType = new Map(schedulingPlugins.map((plugin) => [plugin.type, plugin]));

export const schedulingPlugin = (type: string): PluginDescription | undefined => byType.get(type);

export const pluginsOfKind = (kind: PluginKind): readonly PluginDescription[] =>
  schedulingPlugins.filter(({ kinds }) => kinds.includes(kind));

/** Every type that a configuration may name, by name. */
export const knownTypes: readonly string[] = [
  ...[...schedulingPlugins, ...dataPlugins].map(({ type }) => type),
  ...parserNames,
  ...simplifiedPlugins.keys(),
  ...ignoredPlugins.keys(),
].sort();
