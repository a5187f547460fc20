import { gateway } from "./gateway.ts";
import { groups } from "./groups.ts";
import { httpRoute } from "./http-route.ts";
import { inferenceModelRewrite, olderVersions } from "./inference-model-rewrite.ts";
import { inferencePool } from "./inference-pool.ts";
import { type KindFacts, kindsOf } from "./kind.ts";
import { leaderWorkerSet } from "./leader-worker-set.ts";
import { podGroup } from "./pod-group.ts";
import { queue } from "./queue.ts";

/**
 * Kinds that plans and components create. A kind whose fields this project checks has a file of its own. Kinds of
 * specific gateways are in sdk/gateways.
 */
export const kinds = {
  LeaderWorkerSet: leaderWorkerSet,
  PodGroup: podGroup,
  Queue: queue,
  InferencePool: inferencePool,
  InferenceModelRewrite: inferenceModelRewrite,
  HTTPRoute: httpRoute,
  Gateway: gateway,
  ...kindsOf({
    InferencePoolImport: [
      groups.inferenceExperimental,
      "v1alpha1",
      "inferencepoolimports",
      "Namespaced",
      "exists",
    ],
    InferenceObjective: [
      groups.llmD,
      "v1alpha2",
      "inferenceobjectives",
      "Namespaced",
      "exists",
      {
        otherVersions: olderVersions,
      },
    ],
    // The status controller, if it is installed, sets the condition when the whole service is ready.
    InferenceService: [
      groups.fusioninfer,
      "v1alpha1",
      "inferenceservices",
      "Namespaced",
      { waitFor: "condition=Available", timeoutSeconds: 3600 },
    ],
    LLMServerPool: [
      groups.llmInstanceGateway,
      "v1alpha1",
      "llmserverpools",
      "Namespaced",
      "exists",
    ],
    LLMService: [groups.llmInstanceGateway, "v1alpha1", "llmservices", "Namespaced", "exists"],
    ReferenceGrant: [groups.gateway, "v1beta1", "referencegrants", "Namespaced", "exists"],
    BackendTLSPolicy: [groups.gateway, "v1", "backendtlspolicies", "Namespaced", "exists"],
    /** cert-manager Certificate. Its controller maintains a Secret with tls.crt, tls.key and ca.crt. */
    Certificate: [
      groups.certManager,
      "v1",
      "certificates",
      "Namespaced",
      { waitFor: "condition=Ready" },
    ],
    /** KEDA ScaledObject. It creates a HorizontalPodAutoscaler, and scales from and to zero itself. */
    ScaledObject: [groups.keda, "v1alpha1", "scaledobjects", "Namespaced", "exists"],
    HorizontalPodAutoscaler: [
      groups.autoscaling,
      "v2",
      "horizontalpodautoscalers",
      "Namespaced",
      "exists",
    ],
    Namespace: [groups.core, "v1", "namespaces", "Cluster", "exists"],
    ServiceAccount: [groups.core, "v1", "serviceaccounts", "Namespaced", "exists"],
    Role: [groups.rbac, "v1", "roles", "Namespaced", "exists"],
    RoleBinding: [
      groups.rbac,
      "v1",
      "rolebindings",
      "Namespaced",
      "exists",
      { immutable: ["roleRef"] },
    ],
    ClusterRole: [groups.rbac, "v1", "clusterroles", "Cluster", "exists"],
    ClusterRoleBinding: [
      groups.rbac,
      "v1",
      "clusterrolebindings",
      "Cluster",
      "exists",
      { immutable: ["roleRef"] },
    ],
    ConfigMap: [groups.core, "v1", "configmaps", "Namespaced", "exists"],
    Secret: [groups.core, "v1", "secrets", "Namespaced", "exists", { immutable: ["type"] }],
    NetworkPolicy: [groups.networking, "v1", "networkpolicies", "Namespaced", "exists"],
    MutatingWebhookConfiguration: [
      groups.admissionRegistration,
      "v1",
      "mutatingwebhookconfigurations",
      "Cluster",
      "exists",
    ],
    ValidatingAdmissionPolicy: [
      groups.admissionRegistration,
      "v1",
      "validatingadmissionpolicies",
      "Cluster",
      "exists",
    ],
    ValidatingAdmissionPolicyBinding: [
      groups.admissionRegistration,
      "v1",
      "validatingadmissionpolicybindings",
      "Cluster",
      "exists",
    ],
    Deployment: [
      groups.apps,
      "v1",
      "deployments",
      "Namespaced",
      "provider",
      { immutable: ["spec.selector"] },
    ],
    PodDisruptionBudget: [groups.policy, "v1", "poddisruptionbudgets", "Namespaced", "exists"],
    Service: [
      groups.core,
      "v1",
      "services",
      "Namespaced",
      "provider",
      { immutable: ["spec.clusterIP"] },
    ],
    /** Recording rules and alerts, which the Prometheus Operator loads into Prometheus. */
    PrometheusRule: [groups.prometheusOperator, "v1", "prometheusrules", "Namespaced", "exists"],
    /** Services whose endpoints Prometheus scrapes. */
    ServiceMonitor: [groups.prometheusOperator, "v1", "servicemonitors", "Namespaced", "exists"],
    /** Pods that Prometheus scrapes. */
    PodMonitor: [groups.prometheusOperator, "v1", "podmonitors", "Namespaced", "exists"],
  }),
} as const satisfies Record<string, KindFacts>;

/** Name of a kind in the table. */
export type Kind = keyof typeof kinds;
