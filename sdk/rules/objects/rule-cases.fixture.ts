import { acceleratorCases } from "./accelerator-rules.cases.ts";
import { accessCases } from "./access-rules.cases.ts";
import { addressCases } from "./address-rules.cases.ts";
import { capacityCases } from "./capacity-rules.cases.ts";
import { deviceAccessCases } from "./device-access-rules.cases.ts";
import { drainCases } from "./drain-rules.cases.ts";
import type { RuleCases } from "./edited-stack.fixture.ts";
import { engineCases } from "./engine-rules.cases.ts";
import { gangMinimumCases } from "./gang-minimum-rules.cases.ts";
import { gangCases } from "./gang-rules.cases.ts";
import { groupCases } from "./group-rules.cases.ts";
import { knownModelCases } from "./known-model-rules.cases.ts";
import { listenerCases } from "./listener-rules.cases.ts";
import { metricNameCases } from "./metric-name-rules.cases.ts";
import { modelRouteCases } from "./model-route-rules.cases.ts";
import { monitorCases } from "./monitor-rules.cases.ts";
import { multiClusterCases } from "./multi-cluster-rules.cases.ts";
import { nameCases } from "./name-rules.cases.ts";
import { pairCases } from "./pair-rules.cases.ts";
import { pathCases } from "./path-rules.cases.ts";
import { pickerConfigCases } from "./picker-config-rules.cases.ts";
import { podCases } from "./pod-rules.cases.ts";
import { poolCases } from "./pool-rules.cases.ts";
import { probeAnswerCases } from "./probe-answer-rules.cases.ts";
import { probeCases } from "./probe-rules.cases.ts";
import { quantityCases } from "./quantity-rules.cases.ts";
import { rankOptionCases } from "./rank-option-rules.cases.ts";
import { recyclingCases } from "./recycling-rules.cases.ts";
import { registrationCases } from "./registration-rules.cases.ts";
import { routeBackendCases } from "./route-backend-rules.cases.ts";
import { routingCases } from "./routing-rules.cases.ts";
import { scalerCases } from "./scaler-rules.cases.ts";
import { scalingCases } from "./scaling-rules.cases.ts";
import { scheduleCases } from "./schedule-rules.cases.ts";
import { servedVersionCases } from "./served-version-rules.cases.ts";
import { serviceLinkCases } from "./service-link-rules.cases.ts";
import { shapeCases } from "./shape-rule.cases.ts";
import { startCases } from "./start-rules.cases.ts";
import { supplyChainCases } from "./supply-chain-rules.cases.ts";
import { transferCases } from "./transfer-rules.cases.ts";
import { unusedCases } from "./unused-rules.cases.ts";
import { updateCases } from "./update-rules.cases.ts";

/** Cases of all rules. The cases of a file of rules are in the `.cases.ts` file next to it. */
export const ruleCases: readonly RuleCases[] = [
  ...shapeCases,
  ...quantityCases,
  ...servedVersionCases,
  ...acceleratorCases,
  ...engineCases,
  ...rankOptionCases,
  ...addressCases,
  ...groupCases,
  ...probeCases,
  ...probeAnswerCases,
  ...podCases,
  ...startCases,
  ...pathCases,
  ...deviceAccessCases,
  ...knownModelCases,
  ...serviceLinkCases,
  ...drainCases,
  ...nameCases,
  ...gangCases,
  ...gangMinimumCases,
  ...pairCases,
  ...transferCases,
  ...scalingCases,
  ...scalerCases,
  ...metricNameCases,
  ...poolCases,
  ...capacityCases,
  ...updateCases,
  ...routingCases,
  ...listenerCases,
  ...routeBackendCases,
  ...modelRouteCases,
  ...recyclingCases,
  ...registrationCases,
  ...pickerConfigCases,
  ...unusedCases,
  ...accessCases,
  ...monitorCases,
  ...scheduleCases,
  ...multiClusterCases,
  ...supplyChainCases,
];
