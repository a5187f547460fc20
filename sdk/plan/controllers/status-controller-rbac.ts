import { kinds } from "../../../kubernetes/kinds/index.ts";
import { allow, everyVersion } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { statusControllerName } from "../../names.ts";
import { leaseRules } from "../programs/rbac-rules.ts";

/**
 * Permissions of the status controller: reading the objects whose status it computes, and writing status. Further
 * permissions are optional. The plan and the controller's tests share these rules; the tests check that each rule is
 * used and none is missing.
 */

const read = ["list", "watch"];

/** Rules for the whole cluster. */
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

/** Rules for the whole cluster, if the controller deletes pods that fail. */
export const recyclingRules = [
  allow(["delete"], [unplanned.Pod]),
  allow(["create"], [unplanned.Event]),
];

/** Rules for leader election, in the namespace of the controller. */
export const statusControllerLeaseRules = leaseRules(statusControllerName);
