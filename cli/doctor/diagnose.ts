import { checkAccelerators } from "./check-accelerators.ts";
import { checkCrds } from "./check-crds.ts";
import { checkDecodeSidecar } from "./check-decode-sidecar.ts";
import { checkGatewayClasses } from "./check-gateway-classes.ts";
import { checkImages } from "./check-images.ts";
import { checkLws } from "./check-lws.ts";
import { checkOwnCrds } from "./check-own-crds.ts";
import { checkParentsAgents } from "./check-parents-agents.ts";
import { checkPermissions } from "./check-permissions.ts";
import { checkPlacement } from "./check-placement.ts";
import type { CheckResult } from "./check-result.ts";
import { checkRules } from "./check-rules.ts";
import { checkStorage } from "./check-storage.ts";
import { checkTestedVersions } from "./check-tested-versions.ts";
import { checkVolcano } from "./check-volcano.ts";
import { checkWebhooks } from "./check-webhooks.ts";
import type { ClusterObservation } from "./observation.ts";

const checks: ReadonlyArray<(observation: ClusterObservation) => CheckResult[]> = [
  checkCrds,
  checkOwnCrds,
  checkGatewayClasses,
  checkAccelerators,
  checkPlacement,
  checkLws,
  checkVolcano,
  checkTestedVersions,
  checkWebhooks,
  checkDecodeSidecar,
  checkImages,
  checkStorage,
  checkRules,
  checkParentsAgents,
  checkPermissions,
];

/** Returns the findings of an observed cluster that affect InferenceServices. */
export function diagnose(observation: ClusterObservation): CheckResult[] {
  return checks.flatMap((check) => check(observation));
}
