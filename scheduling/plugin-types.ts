import { contextLengthAware } from "./context-length-aware.ts";
import { alwaysDisaggregate, multimodalDecider, prefixBasedDecider } from "./deciders/deciders.ts";
import { concurrencyDetector } from "./detectors/concurrency.ts";
import { utilizationDetector } from "./detectors/utilization.ts";
import { byLabelFilter, decodeFilter, encodeFilter, prefillFilter } from "./filters/by-label.ts";
import { headerBasedTestingFilter } from "./filters/header-based-testing.ts";
import { byLabelSelectorFilter, labelSelectorFilter } from "./filters/label-selector.ts";
import { prefixCacheAffinityFilter } from "./filters/prefix-cache-affinity.ts";
import { maxScorePicker, randomPicker, weightedRandomPicker } from "./pickers/pickers.ts";
import type { PluginType } from "./plugin.ts";
import { headerProfileHandler } from "./profile-handlers/by-header.ts";
import { dataParallelProfileHandler } from "./profile-handlers/data-parallel.ts";
import { disaggProfileHandler, pdProfileHandler } from "./profile-handlers/disaggregated.ts";
import { singleProfileHandler } from "./profile-handlers/single.ts";
import { activeRequestScorer, tokenLoadScorer } from "./scorers/in-flight.ts";
import {
  kvCacheUtilizationScorer,
  loadAwareScorer,
  loraAffinityScorer,
  queueScorer,
  runningRequestsSizeScorer,
} from "./scorers/metrics.ts";
import { noHitLruScorer } from "./scorers/no-hit-lru.ts";
import { precisePrefixCacheScorer, prefixCacheScorer } from "./scorers/prefix-cache.ts";
import { sessionAffinityFilter, sessionAffinityScorer } from "./session-affinity.ts";

/** Every plugin that takes part in scheduling, once. */
export const pluginTypes: readonly PluginType[] = [
  labelSelectorFilter,
  byLabelSelectorFilter,
  byLabelFilter,
  decodeFilter,
  prefillFilter,
  encodeFilter,
  prefixCacheAffinityFilter,
  sessionAffinityFilter,
  contextLengthAware,
  headerBasedTestingFilter,
  utilizationDetector,
  concurrencyDetector,
  queueScorer,
  runningRequestsSizeScorer,
  kvCacheUtilizationScorer,
  prefixCacheScorer,
  precisePrefixCacheScorer,
  loraAffinityScorer,
  loadAwareScorer,
  activeRequestScorer,
  tokenLoadScorer,
  noHitLruScorer,
  sessionAffinityScorer,
  maxScorePicker,
  randomPicker,
  weightedRandomPicker,
  singleProfileHandler,
  disaggProfileHandler,
  pdProfileHandler,
  headerProfileHandler,
  dataParallelProfileHandler,
  alwaysDisaggregate,
  prefixBasedDecider,
  multimodalDecider,
];

const byType = new Map(pluginTypes.map((plugin) => [plugin.type, plugin]));

/** @throws Error for a type that a configuration may name and nobody makes: a test holds the two lists together. */
export function pluginTypeOf(type: string): PluginType {
  const found = byType.get(type);
  if (found === undefined) throw new Error(`no plugin is made for type ${type}`);
  return found;
}
