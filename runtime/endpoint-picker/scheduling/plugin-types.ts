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

/** Every plugin that takes part in scheduling. */
export const pluginTypes: readonly PluginType[] = [
  labelSelectorFilter,
  byLabelSelectorFilter,
  byLabelFilter,
  decodeFilter,
  prefillFilter,
  encodeFilter,
  prefixCacheAffinityFilter,
  sessionAffinityFilter,
  headerBasedTestingFilter,
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
  alwaysDisaggregate,
  prefixBasedDecider,
  multimodalDecider,
  utilizationDetector,
  concurrencyDetector,
];
