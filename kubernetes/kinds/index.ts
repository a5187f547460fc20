import { groupOf } from "../values/manifest.ts";
import { agentgatewayBackend } from "./agentgateway-backend.ts";
import { agentgatewayPolicy } from "./agentgateway-policy.ts";
import { backendTlsPolicy } from "./backend-tls-policy.ts";
import { clusterRole } from "./cluster-role.ts";
import { clusterRoleBinding } from "./cluster-role-binding.ts";
import { configMap } from "./config-map.ts";
import { deployment } from "./deployment.ts";
import { destinationRule } from "./destination-rule.ts";
import { envoyExtensionPolicy } from "./envoy-extension-policy.ts";
import { envoyFilter } from "./envoy-filter.ts";
import { gateway } from "./gateway.ts";
import { gcpBackendPolicy } from "./gcp-backend-policy.ts";
import { gcpRoutingExtension } from "./gcp-routing-extension.ts";
import { healthCheckPolicy } from "./health-check-policy.ts";
import { httpRoute } from "./http-route.ts";
import { inferenceModelRewrite } from "./inference-model-rewrite.ts";
import { inferenceObjective } from "./inference-objective.ts";
import { inferencePool } from "./inference-pool.ts";
import { inferencePoolImport } from "./inference-pool-import.ts";
import { inferenceService } from "./inference-service.ts";
import type { KindFacts } from "./kind.ts";
import { leaderWorkerSet } from "./leader-worker-set.ts";
import { llmServerPool } from "./llm-server-pool.ts";
import { llmService } from "./llm-service.ts";
import { mutatingWebhookConfiguration } from "./mutating-webhook-configuration.ts";
import { namespace } from "./namespace.ts";
import { networkPolicy } from "./network-policy.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";
import { podGroup } from "./pod-group.ts";
import { queue } from "./queue.ts";
import { referenceGrant } from "./reference-grant.ts";
import { role } from "./role.ts";
import { roleBinding } from "./role-binding.ts";
import { secret } from "./secret.ts";
import { service } from "./service.ts";
import { serviceAccount } from "./service-account.ts";
import { serviceEntry } from "./service-entry.ts";
import { validatingAdmissionPolicy } from "./validating-admission-policy.ts";
import { validatingAdmissionPolicyBinding } from "./validating-admission-policy-binding.ts";

/** The kinds that plans and components make, by kind: one file each. */
export const kinds = {
  LeaderWorkerSet: leaderWorkerSet,
  PodGroup: podGroup,
  Queue: queue,
  InferencePool: inferencePool,
  InferencePoolImport: inferencePoolImport,
  InferenceObjective: inferenceObjective,
  InferenceModelRewrite: inferenceModelRewrite,
  InferenceService: inferenceService,
  LLMServerPool: llmServerPool,
  LLMService: llmService,
  HTTPRoute: httpRoute,
  Gateway: gateway,
  ReferenceGrant: referenceGrant,
  BackendTLSPolicy: backendTlsPolicy,
  AgentgatewayBackend: agentgatewayBackend,
  AgentgatewayPolicy: agentgatewayPolicy,
  EnvoyExtensionPolicy: envoyExtensionPolicy,
  EnvoyFilter: envoyFilter,
  ServiceEntry: serviceEntry,
  DestinationRule: destinationRule,
  HealthCheckPolicy: healthCheckPolicy,
  GCPBackendPolicy: gcpBackendPolicy,
  GCPRoutingExtension: gcpRoutingExtension,
  Namespace: namespace,
  ServiceAccount: serviceAccount,
  Role: role,
  RoleBinding: roleBinding,
  ClusterRole: clusterRole,
  ClusterRoleBinding: clusterRoleBinding,
  ConfigMap: configMap,
  Secret: secret,
  NetworkPolicy: networkPolicy,
  MutatingWebhookConfiguration: mutatingWebhookConfiguration,
  ValidatingAdmissionPolicy: validatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBinding,
  Deployment: deployment,
  PodDisruptionBudget: podDisruptionBudget,
  Service: service,
} as const satisfies Record<string, KindFacts>;

/** A kind of the table. */
export type Kind = keyof typeof kinds;

/**
 * The kind of an object, or undefined where the table has none. Group and kind decide, not the version:
 * other groups have kinds of the same name, `scheduling.k8s.io` a PodGroup.
 */
export function kindOf(object: { apiVersion: string; kind: string }): Kind | undefined {
  if (!Object.hasOwn(kinds, object.kind)) return undefined;
  const kind = object.kind as Kind;
  const { apiVersion, otherVersions } = factsOf(kind);
  const served = [apiVersion, ...otherVersions].map(groupOf);
  return served.includes(groupOf(object.apiVersion)) ? kind : undefined;
}

/** The facts of a kind. */
export const factsOf = (kind: Kind): KindFacts => kinds[kind];
