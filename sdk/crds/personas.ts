import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { endpointPickerRules, metricsAuthRules } from "../plan/picker/picker-rbac.ts";
import { label, manager } from "../topology/names.ts";

/**
 * The two personas of the LLM Instance Gateway proposal as ClusterRoles. A RoleBinding gives somebody a persona in a
 * namespace, a ClusterRoleBinding in all. They are not aggregated to `admin` and `edit`: to install kinds gives
 * nobody more than they had. Neither may write a status, which is the controllers' to say.
 */

/** A rule of a Role (`rbac.authorization.k8s.io/v1`). */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface ClusterRole extends Manifest {
  rules: readonly PolicyRule[];
}

const reading = ["get", "list", "watch"];
const managing = [...reading, "create", "update", "patch", "delete", "deletecollection"];

const may = (verbs: readonly string[], group: string, ...resources: string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});

/** Groups in which clusters serve rewrites and objectives. */
const modelGroups = ["inference.networking.x-k8s.io", "llm-d.ai"];

/** "A team that … drives the lifecycle and rollout of new versions of those models": registers, rewrites, reads pools. */
const ownerRules: readonly PolicyRule[] = [
  may(managing, "inference.x-k8s.io", "llmservices"),
  ...modelGroups.map((group) =>
    may(managing, group, "inferencemodelrewrites", "inferenceobjectives"),
  ),
  may(reading, "inference.x-k8s.io", "llmserverpools"),
  may(reading, "inference.networking.k8s.io", "inferencepools"),
];

/** "Creates and manages the infrastructure necessary to run LLM workloads": whatever a plan of this project makes. */
const adminRules: readonly PolicyRule[] = [
  ...ownerRules,
  may(managing, "inference.x-k8s.io", "llmserverpools"),
  may(managing, "inference.networking.k8s.io", "inferencepools"),
  may(managing, "inference.networking.x-k8s.io", "inferencepoolimports"),
  may(managing, "fusioninfer.io", "inferenceservices"),
  may(managing, "leaderworkerset.x-k8s.io", "leaderworkersets"),
  may(managing, "scheduling.volcano.sh", "podgroups"),
  may(reading, "scheduling.volcano.sh", "queues"),
  may(
    managing,
    "gateway.networking.k8s.io",
    ...["gateways", "httproutes", "referencegrants", "backendtlspolicies"],
  ),
  // What gateways need beside a pool or an import, by gateway.type.
  may(managing, "agentgateway.dev", "agentgatewaybackends"),
  may(managing, "networking.istio.io", "destinationrules", "serviceentries"),
  may(managing, "networking.gke.io", "healthcheckpolicies", "gcpbackendpolicies"),
  may(managing, "apps", "deployments"),
  may(managing, "policy", "poddisruptionbudgets"),
  may(managing, "networking.k8s.io", "networkpolicies"),
  may(managing, "", "services", "serviceaccounts", "configmaps"),
  may(
    managing,
    "rbac.authorization.k8s.io",
    "roles",
    "rolebindings",
    "clusterroles",
    "clusterrolebindings",
  ),
  may(reading, "", "pods", "pods/log", "events"),
  // Nobody may grant what they may not do themselves: a picker's permissions are its deployer's too.
  ...endpointPickerRules,
  ...metricsAuthRules,
];

const persona = (name: string, rules: readonly PolicyRule[]): ClusterRole => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name, labels: { [label.managedBy]: manager } },
  rules,
});

/** `inference-platform-admin` and `llm-service-owner`. */
export const personaRoles = (): ClusterRole[] => [
  persona("inference-platform-admin", adminRules),
  persona("llm-service-owner", ownerRules),
];
