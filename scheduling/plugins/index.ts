import type { PluginKind, PluginType } from "../profiles/plugin.ts";
import { globalStrictFairnessPolicy } from "./fairness/global-strict-fairness-policy.ts";
import { programAwareFairness } from "./fairness/program-aware-fairness.ts";
import { roundRobinFairnessPolicy } from "./fairness/round-robin-fairness-policy.ts";
import { weightedFairnessPolicy } from "./fairness/weighted-fairness-policy.ts";
import { byLabelFilter } from "./filters/by-label.ts";
import { contextLengthAware } from "./filters/context-length-aware.ts";
import { decodeFilter } from "./filters/decode-filter.ts";
import { encodeFilter } from "./filters/encode-filter.ts";
import { headerBasedTestingFilter } from "./filters/header-based-testing-filter.ts";
import { byLabelSelectorFilter, labelSelectorFilter } from "./filters/label-selector-filter.ts";
import { prefillFilter } from "./filters/prefill-filter.ts";
import { prefixCacheAffinityFilter } from "./filters/prefix-cache-affinity-filter.ts";
import { sessionAffinityFilter } from "./filters/session-affinity-filter.ts";
import { topologyAffinityFilter } from "./filters/topology-affinity-filter.ts";
import { utilizationFilter } from "./filters/utilization-filter.ts";
import { multimodalDecider } from "./handlers/always-disagg-multimodal-decider.ts";
import { alwaysDisaggregate } from "./handlers/always-disagg-pd-decider.ts";
import { dataParallelProfileHandler } from "./handlers/data-parallel-profile-handler.ts";
import { disaggProfileHandler } from "./handlers/disagg-profile-handler.ts";
import { headerProfileHandler } from "./handlers/header-profile-handler.ts";
import { pdProfileHandler } from "./handlers/pd-profile-handler.ts";
import { prefixBasedDecider } from "./handlers/prefix-based-pd-decider.ts";
import { singleProfileHandler } from "./handlers/single-profile-handler.ts";
import { edfOrderingPolicy } from "./ordering/edf-ordering-policy.ts";
import { fcfsOrderingPolicy } from "./ordering/fcfs-ordering-policy.ts";
import { sloDeadlineOrderingPolicy } from "./ordering/slo-deadline-ordering-policy.ts";
import { maxScorePicker } from "./pickers/max-score-picker.ts";
import { randomPicker } from "./pickers/random-picker.ts";
import { weightedRandomPicker } from "./pickers/weighted-random-picker.ts";
import { concurrencyDetector } from "./saturation/concurrency-detector.ts";
import { freeEndpointDetector } from "./saturation/free-endpoint-detector.ts";
import { utilizationDetector } from "./saturation/utilization-detector.ts";
import { activeRequestScorer } from "./scorers/active-request-scorer.ts";
import { headerLabelAffinityScorer } from "./scorers/header-label-affinity-scorer.ts";
import { kvCacheUtilizationScorer } from "./scorers/kv-cache-utilization-scorer.ts";
import { loadAwareScorer } from "./scorers/load-aware-scorer.ts";
import { loraAffinityScorer } from "./scorers/lora-affinity-scorer.ts";
import { noHitLruScorer } from "./scorers/no-hit-lru-scorer.ts";
import { precisePrefixCacheScorer } from "./scorers/precise-prefix-cache-scorer.ts";
import { prefillCostScorer } from "./scorers/prefill-cost-scorer.ts";
import { prefixCacheScorer } from "./scorers/prefix-cache-scorer.ts";
import { queueScorer } from "./scorers/queue-scorer.ts";
import { runningRequestsSizeScorer } from "./scorers/running-requests-size-scorer.ts";
import { sessionAffinityScorer } from "./scorers/session-affinity-scorer.ts";
import { tokenLoadScorer } from "./scorers/token-load-scorer.ts";
import { topologyAffinityScorer } from "./scorers/topology-affinity-scorer.ts";
import { unscheduledTypes } from "./unscheduled.ts";
import { priorityHoldbackPolicy } from "./usage-limits/priority-holdback-policy.ts";
import { slotReservePolicy } from "./usage-limits/slot-reserve-policy.ts";
import { softReflectiveCeilingPolicy } from "./usage-limits/soft-reflective-ceiling-policy.ts";
import { staticUsageLimitPolicy } from "./usage-limits/static-usage-limit-policy.ts";

/** All plugin types that take part in scheduling, in the order of the reference page. */
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

/** All types that a configuration may name, in alphabetical order. */
export const knownTypes: readonly string[] = [
  ...pluginTypes,
  ...unscheduledTypes.filter(({ part }) => part !== "unsupported"),
]
  .map(({ type }) => type)
  .sort();
