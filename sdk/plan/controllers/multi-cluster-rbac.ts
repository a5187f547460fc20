import { defaultControllerName, leaseName } from "../../multi-cluster/names.ts";
import { leaseRules } from "../picker/picker-rbac.ts";

/**
 * What the controller of a cluster set may do. The rules stand here once: the plan grants them, and the controller's
 * tests prove that each is used and none is missing.
 */

const read = ["list", "watch"];

/** In the whole of each member: read what tells who exports what and how it is reached; write imports. */
export const multiClusterMemberRules = [
  // The uid of kube-system tells whether a cluster that was lost is the same when it is back.
  { apiGroups: [""], resources: ["namespaces"], verbs: ["get", ...read] },
  { apiGroups: [""], resources: ["services"], verbs: read },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: read },
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["httproutes", "gateways"], verbs: read },
  { apiGroups: ["inference.networking.k8s.io"], resources: ["inferencepools"], verbs: read },
  {
    apiGroups: ["inference.networking.k8s.io"],
    resources: ["inferencepools/status"],
    verbs: ["patch"],
  },
  {
    apiGroups: ["inference.networking.x-k8s.io"],
    resources: ["inferencepoolimports"],
    verbs: [...read, "create", "patch", "delete"],
  },
  {
    apiGroups: ["inference.networking.x-k8s.io"],
    resources: ["inferencepoolimports/status"],
    verbs: ["patch"],
  },
];

/** In the Lease's namespace of the hub. */
export const multiClusterHubRules = (controllerName: string = defaultControllerName) =>
  leaseRules(leaseName(controllerName));
