import { checkCrds } from "./check-crds.ts";
import { checkDecodeSidecar } from "./check-decode-sidecar.ts";
import { checkLws } from "./check-lws.ts";
import { checkPermissions } from "./check-permissions.ts";
import { checkVolcano } from "./check-volcano.ts";
import { checkWebhooks } from "./check-webhooks.ts";
import type { Finding } from "./finding.ts";
import type { ClusterObservation } from "./observation.ts";

const checks: ReadonlyArray<(observation: ClusterObservation) => Finding[]> = [
  checkCrds,
  checkLws,
  checkVolcano,
  checkWebhooks,
  checkDecodeSidecar,
  checkPermissions,
];

/** What an observation of a cluster says about running InferenceServices there. */
export function diagnose(observation: ClusterObservation): Finding[] {
  return checks.flatMap((check) => check(observation));
}
