import { backendTlsPolicy } from "./backend-tls-policy.ts";
import { certificate } from "./certificate.ts";
import { clusterRole } from "./cluster-role.ts";
import { clusterRoleBinding } from "./cluster-role-binding.ts";
import { configMap } from "./config-map.ts";
import { deployment } from "./deployment.ts";
import { gateway } from "./gateway.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";
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
import { podMonitor } from "./pod-monitor.ts";
import { prometheusRule } from "./prometheus-rule.ts";
import { queue } from "./queue.ts";
import { referenceGrant } from "./reference-grant.ts";
import { role } from "./role.ts";
import { roleBinding } from "./role-binding.ts";
import { scaledObject } from "./scaled-object.ts";
import { secret } from "./secret.ts";
import { service } from "./service.ts";
import { serviceAccount } from "./service-account.ts";
import { serviceMonitor } from "./service-monitor.ts";
import { validatingAdmissionPolicy } from "./validating-admission-policy.ts";
import { validatingAdmissionPolicyBinding } from "./validating-admission-policy-binding.ts";

/** Kinds that plans and components create, one file each. Kinds of specific gateways are in sdk/gateways. */
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
  Certificate: certificate,
  ScaledObject: scaledObject,
  HorizontalPodAutoscaler: horizontalPodAutoscaler,
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
  PrometheusRule: prometheusRule,
  ServiceMonitor: serviceMonitor,
  PodMonitor: podMonitor,
} as const satisfies Record<string, KindFacts>;

/** Name of a kind in the table. */
export type Kind = keyof typeof kinds;
