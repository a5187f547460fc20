import { exportPolicyName } from "../../sdk/names.ts";
import { type NodeKey, named, one } from "./node-keys.ts";

/** Returns the keys for the objects of a program that this project deploys. */
export const programNodeKeys = (takes?: NodeKey["takes"]) =>
  ({
    serviceAccount: one("ServiceAccount", takes),
    role: one("Role", takes),
    roleBinding: one("RoleBinding", takes),
    /** Permission to check who may read its pages, with `metricsAuth`. */
    clusterRole: one("ClusterRole", takes),
    clusterRoleBinding: one("ClusterRoleBinding", takes),
    deployment: one("Deployment", takes),
    /** PodDisruptionBudget, if there are several pods or a budget is set. */
    podDisruptionBudget: one("PodDisruptionBudget", takes),
    service: one("Service", takes),
    networkPolicy: one("NetworkPolicy", takes),
  }) as const;

/** Keys of the objects of an endpoint picker. */
export const pickerNodeKeys = {
  /** NetworkPolicy that allows other clusters to reach the picker of an exported pool. */
  exportPolicy: one("NetworkPolicy", named(exportPolicyName)),
  /** Serving certificate of an exported pool's picker. */
  certificate: one("Certificate"),
  ...programNodeKeys(),
} as const;
