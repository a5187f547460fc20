import { groups } from "../../kubernetes/kinds/groups.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { allow, type PolicyRule } from "../../kubernetes/kinds/policy-rule.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { GatewayKind } from "../gateways/gateway-kind.ts";
import { gateways } from "../gateways/index.ts";
import { label, manager } from "../names.ts";
import {
  endpointPickerRules,
  metricsAuthRules,
  modelRouterRules,
} from "../plan/programs/rbac-rules.ts";

/**
 * The two personas of the LLM Instance Gateway proposal as ClusterRoles. A RoleBinding grants a persona in one
 * namespace, a ClusterRoleBinding in all. They are not aggregated to `admin` and `edit`, so that installing the kinds
 * grants no additional permissions. Neither persona may write a status: only controllers do.
 */

export interface ClusterRole extends Manifest {
  rules: readonly PolicyRule[];
}

const reading = ["get", "list", "watch"];
const managing = [...reading, "create", "update", "patch", "delete", "deletecollection"];

/**
 * "A team that … drives the lifecycle and rollout of new versions of those models": manages models and rewrites, reads
 * pools.
 */
const ownerRules: readonly PolicyRule[] = [
  allow(managing, [kinds.LLMService]),
  ...[groups.inferenceExperimental, groups.llmD].map((group) =>
    allow(managing, [
      { ...kinds.InferenceModelRewrite, group },
      { ...kinds.InferenceObjective, group },
    ]),
  ),
  allow(reading, [kinds.LLMServerPool]),
  allow(reading, [kinds.InferencePool]),
];

/**
 * "Creates and manages the infrastructure necessary to run LLM workloads": every object that a plan of this project
 * has.
 */
const adminRules: readonly PolicyRule[] = [
  ...ownerRules,
  allow(managing, [kinds.LLMServerPool]),
  allow(managing, [kinds.InferencePool]),
  allow(managing, [kinds.InferencePoolImport]),
  allow(managing, [kinds.InferenceService]),
  allow(managing, [kinds.LeaderWorkerSet]),
  allow(managing, [kinds.PodGroup]),
  allow(reading, [kinds.Queue]),
  allow(managing, [kinds.Gateway, kinds.HTTPRoute, kinds.ReferenceGrant, kinds.BackendTLSPolicy]),
  allow(managing, [kinds.Certificate]),
  // Objects that gateways need in addition to a pool or an import, by gateway.type.
  ...Object.values(gateways).flatMap(({ ownKinds }) => {
    const own: readonly GatewayKind[] = Object.values(ownKinds);
    return own.length === 0 ? [] : [allow(managing, own)];
  }),
  allow(managing, [kinds.Deployment]),
  allow(managing, [kinds.PodDisruptionBudget]),
  allow(managing, [kinds.HorizontalPodAutoscaler]),
  allow(managing, [kinds.ScaledObject]),
  allow(managing, [kinds.PrometheusRule, kinds.ServiceMonitor, kinds.PodMonitor]),
  allow(managing, [kinds.NetworkPolicy]),
  allow(managing, [kinds.Service, kinds.ServiceAccount, kinds.ConfigMap]),
  allow(managing, [kinds.Role, kinds.RoleBinding, kinds.ClusterRole, kinds.ClusterRoleBinding]),
  {
    apiGroups: [unplanned.Pod.group],
    resources: [unplanned.Pod.plural, "pods/log", unplanned.Event.plural],
    verbs: reading,
  },
  // RBAC lets a subject grant only permissions that it has: a deployer needs the permissions of its picker.
  ...endpointPickerRules,
  ...modelRouterRules,
  ...metricsAuthRules,
];

const persona = (name: string, rules: readonly PolicyRule[]): ClusterRole => ({
  apiVersion: kinds.ClusterRole.apiVersion,
  kind: "ClusterRole",
  metadata: { name, labels: { [label.managedBy]: manager } },
  rules,
});

export const personaRoles = (): ClusterRole[] => [
  persona("inference-platform-admin", adminRules),
  persona("llm-service-owner", ownerRules),
];
