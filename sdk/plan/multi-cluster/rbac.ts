import { kinds } from "../../../kubernetes/kinds/index.ts";
import { allow } from "../../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { defaultControllerName, leaseName } from "../../topology/multi-cluster-names.ts";
import { leaseRules } from "../programs/rbac-rules.ts";

/**
 * Permissions of the controller of a cluster set. They are defined only here: the plan grants them, and the tests of
 * the controller verify that each is used and none is missing.
 */

const read = ["list", "watch"];

/** Permissions in each member, in all namespaces: read exports and how they are reached, and write imports. */
export const multiClusterMemberRules = [
  // The uid of kube-system shows whether a lost cluster is the same one when it returns.
  allow(["get", ...read], [kinds.Namespace]),
  allow(read, [kinds.Service]),
  allow(read, [unplanned.EndpointSlice]),
  allow(read, [kinds.HTTPRoute, kinds.Gateway]),
  allow(read, [kinds.InferencePool]),
  allow(["patch"], [kinds.InferencePool], { subresource: "status" }),
  allow([...read, "create", "patch", "delete"], [kinds.InferencePoolImport]),
  allow(["patch"], [kinds.InferencePoolImport], { subresource: "status" }),
];

/** Permissions in the namespace of the Lease, in the hub. */
export const multiClusterHubRules = (controllerName: string = defaultControllerName) =>
  leaseRules(leaseName(controllerName));
