import type { apiextensions, apps, core, networking, policy, rbac } from "@pulumi/kubernetes";
import { present } from "../../kubernetes/values/present.ts";
import type { Children } from "../children.ts";
import type { InferencePool } from "../kubernetes/inference-pool.ts";

/** The resources of a pool, by kind; those of a picker that is somebody else's are undefined. */
export interface PoolNodes {
  readonly serviceAccount?: core.v1.ServiceAccount;
  /** That of the picker first, then one in every other namespace that the pool admits. */
  readonly roles: readonly rbac.v1.Role[];
  readonly roleBindings: readonly rbac.v1.RoleBinding[];
  readonly clusterRole?: rbac.v1.ClusterRole;
  readonly clusterRoleBinding?: rbac.v1.ClusterRoleBinding;
  readonly configMap?: core.v1.ConfigMap;
  readonly deployment?: apps.v1.Deployment;
  /** With several pickers, or where one is asked for. */
  readonly podDisruptionBudget?: policy.v1.PodDisruptionBudget;
  readonly service?: core.v1.Service;
  /** Of a pool that is exported: who may reach its picker. */
  readonly networkPolicies?: readonly networking.v1.NetworkPolicy[];
  readonly inferencePool?: InferencePool;
  /** The pool as an object of its own kind, with its status; an InferencePool has none. */
  readonly llmServerPool?: apiextensions.CustomResource;
}

export function poolNodes(children: Children): PoolNodes {
  return present({
    serviceAccount: children.one("ServiceAccount"),
    roles: children.all("Role"),
    roleBindings: children.all("RoleBinding"),
    clusterRole: children.one("ClusterRole"),
    clusterRoleBinding: children.one("ClusterRoleBinding"),
    configMap: children.one("ConfigMap"),
    deployment: children.one("Deployment"),
    podDisruptionBudget: children.one("PodDisruptionBudget"),
    service: children.one("Service"),
    networkPolicies: children.all("NetworkPolicy"),
    inferencePool: children.one("InferencePool"),
    llmServerPool: children.one("LLMServerPool"),
  });
}
