import type { apiextensions, apps, core, networking, policy, rbac } from "@pulumi/kubernetes";
import { present } from "../kubernetes/values/present.ts";
import type { Children } from "./children.ts";
import type { Gateway } from "./kubernetes/gateway.ts";
import type { HTTPRoute } from "./kubernetes/http-route.ts";
import type { InferencePool } from "./kubernetes/inference-pool.ts";
import type { LeaderWorkerSet } from "./kubernetes/leader-worker-set.ts";
import type { PodGroup } from "./kubernetes/pod-group.ts";

/** The resources of an InferenceService, by kind; those that its spec does not ask for are undefined. */
export interface InferenceServiceNodes {
  readonly podGroup?: PodGroup;
  /** In the order of the roles and their replicas. */
  readonly leaderWorkerSets: readonly LeaderWorkerSet[];
  readonly serviceAccount?: core.v1.ServiceAccount;
  readonly role?: rbac.v1.Role;
  readonly roleBinding?: rbac.v1.RoleBinding;
  readonly clusterRole?: rbac.v1.ClusterRole;
  readonly clusterRoleBinding?: rbac.v1.ClusterRoleBinding;
  /** Of the endpoint picker. */
  readonly configMap?: core.v1.ConfigMap;
  readonly deployment?: apps.v1.Deployment;
  /** With several pickers, or where one is asked for. */
  readonly podDisruptionBudget?: policy.v1.PodDisruptionBudget;
  readonly service?: core.v1.Service;
  /** The engines have one, and the router's picker has one; an exported picker has two. */
  readonly networkPolicies: readonly networking.v1.NetworkPolicy[];
  readonly inferencePool?: InferencePool;
  readonly gateway?: Gateway;
  readonly httpRoute?: HTTPRoute;
  /** Registers the service's `models` on its pool. */
  readonly llmService?: apiextensions.CustomResource;
  /** Holds the service's `rewrites`. */
  readonly inferenceModelRewrite?: apiextensions.CustomResource;
  /** The service as an object of its own kind, with its status. */
  readonly statusObject?: apiextensions.CustomResource;
}

export function inferenceServiceNodes(children: Children): InferenceServiceNodes {
  return present({
    podGroup: children.one("PodGroup"),
    leaderWorkerSets: children.all("LeaderWorkerSet"),
    serviceAccount: children.one("ServiceAccount"),
    role: children.one("Role"),
    roleBinding: children.one("RoleBinding"),
    clusterRole: children.one("ClusterRole"),
    clusterRoleBinding: children.one("ClusterRoleBinding"),
    configMap: children.one("ConfigMap"),
    deployment: children.one("Deployment"),
    podDisruptionBudget: children.one("PodDisruptionBudget"),
    service: children.one("Service"),
    networkPolicies: children.all("NetworkPolicy"),
    inferencePool: children.one("InferencePool"),
    gateway: children.one("Gateway"),
    httpRoute: children.one("HTTPRoute"),
    llmService: children.one("LLMService"),
    inferenceModelRewrite: children.one("InferenceModelRewrite"),
    statusObject: children.one("InferenceService"),
  });
}
