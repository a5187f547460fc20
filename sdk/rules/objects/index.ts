import type { StackRule } from "../helpers/stack-rule.ts";
import { acceleratorRules } from "./accelerator-rules.ts";
import { accessRules } from "./access-rules.ts";
import { addressRules } from "./address-rules.ts";
import { capacityRules } from "./capacity-rules.ts";
import { deviceAccessRules } from "./device-access-rules.ts";
import { drainRules } from "./drain-rules.ts";
import { engineRules } from "./engine-rules.ts";
import { gangMinimumRules } from "./gang-minimum-rules.ts";
import { gangRules } from "./gang-rules.ts";
import { groupRules } from "./group-rules.ts";
import { knownModelRules } from "./known-model-rules.ts";
import { listenerRules } from "./listener-rules.ts";
import { metricNameRules } from "./metric-name-rules.ts";
import { modelRouteRules } from "./model-route-rules.ts";
import { monitorRules } from "./monitor-rules.ts";
import { multiClusterRules } from "./multi-cluster-rules.ts";
import { nameStackRules } from "./name-rules.ts";
import { pairRules } from "./pair-rules.ts";
import { pathRules } from "./path-rules.ts";
import { pickerConfigRules } from "./picker-config-rules.ts";
import { podRules } from "./pod-rules.ts";
import { poolRules } from "./pool-rules.ts";
import { probeAnswerRules } from "./probe-answer-rules.ts";
import { probeRules } from "./probe-rules.ts";
import { quantityRules } from "./quantity-rules.ts";
import { rankOptionRules } from "./rank-option-rules.ts";
import { recyclingRules } from "./recycling-rules.ts";
import { registrationRules } from "./registration-rules.ts";
import { routeBackendRules } from "./route-backend-rules.ts";
import { routingRules } from "./routing-rules.ts";
import { scalerRules } from "./scaler-rules.ts";
import { scalingRules } from "./scaling-rules.ts";
import { scheduleRules } from "./schedule-rules.ts";
import { servedVersionRules } from "./served-version-rules.ts";
import { serviceLinkRules } from "./service-link-rules.ts";
import { shapeRules } from "./shape-rule.ts";
import { startRules } from "./start-rules.ts";
import { supplyChainRules } from "./supply-chain-rules.ts";
import { transferRules } from "./transfer-rules.ts";
import { unusedRules } from "./unused-rules.ts";
import { updateRules } from "./update-rules.ts";

/** All rules on the objects of a stack, which may have any author. */
export const stackRules: readonly StackRule[] = [
  ...shapeRules,
  ...quantityRules,
  ...servedVersionRules,
  ...acceleratorRules,
  ...engineRules,
  ...rankOptionRules,
  ...addressRules,
  ...groupRules,
  ...probeRules,
  ...probeAnswerRules,
  ...podRules,
  ...startRules,
  ...pathRules,
  ...deviceAccessRules,
  ...knownModelRules,
  ...serviceLinkRules,
  ...drainRules,
  ...nameStackRules,
  ...gangRules,
  ...gangMinimumRules,
  ...pairRules,
  ...transferRules,
  ...scalingRules,
  ...scalerRules,
  ...metricNameRules,
  ...poolRules,
  ...capacityRules,
  ...updateRules,
  ...routingRules,
  ...listenerRules,
  ...routeBackendRules,
  ...modelRouteRules,
  ...recyclingRules,
  ...registrationRules,
  ...pickerConfigRules,
  ...unusedRules,
  ...accessRules,
  ...monitorRules,
  ...scheduleRules,
  ...multiClusterRules,
  ...supplyChainRules,
];
