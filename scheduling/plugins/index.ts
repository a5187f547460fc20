import type { PluginKind, PluginType } from "../plugin.ts";
import { activeRequestScorer } from "./active-request-scorer.ts";
import { multimodalDecider } from "./always-disagg-multimodal-decider.ts";
import { alwaysDisaggregate } from "./always-disagg-pd-decider.ts";
import { byLabelFilter } from "./by-label.ts";
import { concurrencyDetector } from "./concurrency-detector.ts";
import { contextLengthAware } from "./context-length-aware.ts";
import { dataParallelProfileHandler } from "./data-parallel-profile-handler.ts";
import { decodeFilter } from "./decode-filter.ts";
import { disaggProfileHandler } from "./disagg-profile-handler.ts";
import { edfOrderingPolicy } from "./edf-ordering-policy.ts";
import { encodeFilter } from "./encode-filter.ts";
import { fcfsOrderingPolicy } from "./fcfs-ordering-policy.ts";
import { freeEndpointDetector } from "./free-endpoint-detector.ts";
import { globalStrictFairnessPolicy } from "./global-strict-fairness-policy.ts";
import { headerBasedTestingFilter } from "./header-based-testing-filter.ts";
import { headerLabelAffinityScorer } from "./header-label-affinity-scorer.ts";
import { headerProfileHandler } from "./header-profile-handler.ts";
import { kvCacheUtilizationScorer } from "./kv-cache-utilization-scorer.ts";
import { byLabelSelectorFilter, labelSelectorFilter } from "./label-selector-filter.ts";
import { loadAwareScorer } from "./load-aware-scorer.ts";
import { loraAffinityScorer } from "./lora-affinity-scorer.ts";
import { maxScorePicker } from "./max-score-picker.ts";
import { noHitLruScorer } from "./no-hit-lru-scorer.ts";
import { pdProfileHandler } from "./pd-profile-handler.ts";
import { precisePrefixCacheScorer } from "./precise-prefix-cache-scorer.ts";
import { prefillCostScorer } from "./prefill-cost-scorer.ts";
import { prefillFilter } from "./prefill-filter.ts";
import { prefixBasedDecider } from "./prefix-based-pd-decider.ts";
import { prefixCacheAffinityFilter } from "./prefix-cache-affinity-filter.ts";
import { prefixCacheScorer } from "./prefix-cache-scorer.ts";
import { priorityHoldbackPolicy } from "./priority-holdback-policy.ts";
import { programAwareFairness } from "./program-aware-fairness.ts";
import { queueScorer } from "./queue-scorer.ts";
import { randomPicker } from "./random-picker.ts";
import { roundRobinFairnessPolicy } from "./round-robin-fairness-policy.ts";
import { runningRequestsSizeScorer } from "./running-requests-size-scorer.ts";
import { sessionAffinityFilter } from "./session-affinity-filter.ts";
import { sessionAffinityScorer } from "./session-affinity-scorer.ts";
import { singleProfileHandler } from "./single-profile-handler.ts";
import { sloDeadlineOrderingPolicy } from "./slo-deadline-ordering-policy.ts";
import { slotReservePolicy } from "./slot-reserve-policy.ts";
import { softReflectiveCeilingPolicy } from "./soft-reflective-ceiling-policy.ts";
import { staticUsageLimitPolicy } from "./static-usage-limit-policy.ts";
import { tokenLoadScorer } from "./token-load-scorer.ts";
import { topologyAffinityFilter } from "./topology-affinity-filter.ts";
import { topologyAffinityScorer } from "./topology-affinity-scorer.ts";
import { unscheduledTypes } from "./unscheduled.ts";
import { utilizationDetector } from "./utilization-detector.ts";
import { utilizationFilter } from "./utilization-filter.ts";
import { weightedFairnessPolicy } from "./weighted-fairness-policy.ts";
import { weightedRandomPicker } from "./weighted-random-picker.ts";

/** Every plugin that takes part in scheduling, once, in the order of the reference page. */
export const pluginTypes: readonly PluginType[] = [
  labelSelectorFilter,
  byLabelSelectorFilter,
  byLabelFilter,
  decodeFilter,
  prefillFilter,
  encodeFilter,
  prefixCacheAffinityFilter,
  sessionAffinityFilter,
  utilizationFilter,
  topologyAffinityFilter,
  contextLengthAware,
  headerBasedTestingFilter,
  utilizationDetector,
  freeEndpointDetector,
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
  prefillCostScorer,
  noHitLruScorer,
  sessionAffinityScorer,
  headerLabelAffinityScorer,
  topologyAffinityScorer,
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
  globalStrictFairnessPolicy,
  roundRobinFairnessPolicy,
  programAwareFairness,
  weightedFairnessPolicy,
  fcfsOrderingPolicy,
  edfOrderingPolicy,
  sloDeadlineOrderingPolicy,
  staticUsageLimitPolicy,
  priorityHoldbackPolicy,
  softReflectiveCeilingPolicy,
  slotReservePolicy,
];

const byType = new Map(pluginTypes.map((plugin) => [plugin.type, plugin]));

export const pluginTypeOf = (type: string): PluginType | undefined => byType.get(type);

export const pluginsOfKind = (kind: PluginKind): readonly PluginType[] =>
  pluginTypes.filter(({ kinds }) => kinds.includes(kind));

/** Every type that a configuration may name, by name. */
export const knownTypes: readonly string[] = [
  ...pluginTypes,
  ...unscheduledTypes.filter(({ part }) => part !== "unsupported"),
]
  .map(({ type }) => type)
  .sort();
