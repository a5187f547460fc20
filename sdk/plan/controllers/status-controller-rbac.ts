import { statusControllerName } from "../../topology/names.ts";
import { leaseRules } from "../picker/picker-rbac.ts";

/**
 * What the status controller may do: read what statuses are about, write statuses and nothing else. The rules stand
 * here once: the plan grants them, and the controller's tests prove that each is used and none is missing.
 */

const read = ["list", "watch"];

/** In the whole cluster. */
export const statusControllerRules = [
  { apiGroups: [""], resources: ["pods", "events"], verbs: read },
  { apiGroups: ["apps"], resources: ["deployments"], verbs: read },
  { apiGroups: ["leaderworkerset.x-k8s.io"], resources: ["leaderworkersets"], verbs: read },
  { apiGroups: ["scheduling.volcano.sh"], resources: ["podgroups"], verbs: read },
  { apiGroups: ["inference.networking.k8s.io"], resources: ["inferencepools"], verbs: read },
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["httproutes"], verbs: read },
  { apiGroups: ["fusioninfer.io"], resources: ["inferenceservices"], verbs: read },
  { apiGroups: ["inference.x-k8s.io"], resources: ["llmserverpools", "llmservices"], verbs: read },
  {
    apiGroups: ["inference.networking.x-k8s.io", "llm-d.ai"],
    resources: ["inferencemodelrewrites"],
    verbs: read,
  },
  {
    apiGroups: ["fusioninfer.io"],
    resources: ["inferenceservices/status"],
    verbs: ["patch"],
  },
  {
    apiGroups: ["inference.x-k8s.io"],
    resources: ["llmserverpools/status", "llmservices/status"],
    verbs: ["patch"],
  },
  {
    apiGroups: ["inference.networking.x-k8s.io", "llm-d.ai"],
    resources: ["inferencemodelrewrites/status"],
    verbs: ["patch"],
  },
];

/** In the controller's own namespace, for leader election. */
export const statusControllerLeaseRules = leaseRules(statusControllerName);
