import { kinds } from "../../../kubernetes/kinds/index.ts";
import { allow, everyVersion } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { statusControllerName } from "../../topology/names.ts";
import { leaseRules } from "../programs/rbac-rules.ts";

/**
 * What the status controller may do: read what statuses are about and write statuses; nothing else unless it is told to. The rules stand
 * here once: the plan grants them, and the controller's tests prove that each is used and none is missing.
 */

const read = ["list", "watch"];

/** In the whole cluster. */
export const statusControllerRules = [
  allow(read, [unplanned.Pod, unplanned.Event]),
  allow(read, [kinds.Deployment, unplanned.ReplicaSet]),
  allow(read, [kinds.LeaderWorkerSet]),
  allow(read, [kinds.PodGroup]),
  allow(read, [kinds.InferencePool]),
  allow(read, [kinds.HTTPRoute]),
  allow(read, [kinds.InferenceService]),
  allow(read, [kinds.LLMServerPool, kinds.LLMService]),
  allow(read, everyVersion(kinds.InferenceModelRewrite)),
  allow(["patch"], [kinds.InferenceService], { subresource: "status" }),
  allow(["patch"], [kinds.LLMServerPool, kinds.LLMService], { subresource: "status" }),
  allow(["patch"], everyVersion(kinds.InferenceModelRewrite), { subresource: "status" }),
];

/** In the whole cluster, where it deletes pods that fail. */
export const recyclingRules = [
  allow(["delete"], [unplanned.Pod]),
  allow(["create"], [unplanned.Event]),
];

/** In the controller's own namespace, for leader election. */
export const statusControllerLeaseRules = leaseRules(statusControllerName);
