import { kinds } from "../../../kubernetes/kinds/index.ts";
import { allow } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { defaultControllerName, leaseName } from "../../topology/multi-cluster-names.ts";
import { leaseRules } from "../programs/rbac-rules.ts";

/**
 * What the controller of a cluster set may do. The rules stand here once: the plan grants them, and the controller's
 * tests prove that each is used and none is missing.
 */

const read = ["list", "watch"];

/** In the whole of each member: read what tells who exports what and how it is reached; write imports. */
export const multiClusterMemberRules = [
  // The uid of kube-system tells whether a cluster that was lost is the same when it is back.
  allow(["get", ...read], [kinds.Namespace]),
  allow(read, [kinds.Service]),
  allow(read, [unplanned.EndpointSlice]),
  allow(read, [kinds.HTTPRoute, kinds.Gateway]),
  allow(read, [kinds.InferencePool]),
  allow(["patch"], [kinds.InferencePool], { subresource: "status" }),
  allow([...read, "create", "patch", "delete"], [kinds.InferencePoolImport]),
  allow(["patch"], [kinds.InferencePoolImport], { subresource: "status" }),
];

/** In the Lease's namespace of the hub. */
export const multiClusterHubRules = (controllerName: string = defaultControllerName) =>
  leaseRules(leaseName(controllerName));
