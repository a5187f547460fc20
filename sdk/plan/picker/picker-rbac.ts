/**
 * What the endpoint picker may do. The rules stand here once: the plan grants them, and the picker's tests
 * prove that each is used and none is missing.
 */

/** In every namespace whose LLMServices may use the pool. */
export const llmServiceRules = [
  { apiGroups: ["inference.x-k8s.io"], resources: ["llmservices"], verbs: ["list", "watch"] },
];

/** In the pool's namespace. */
export const endpointPickerRules = [
  { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] },
  {
    apiGroups: ["inference.networking.k8s.io"],
    resources: ["inferencepools"],
    verbs: ["list", "watch"],
  },
  {
    apiGroups: ["inference.networking.x-k8s.io", "llm-d.ai"],
    resources: ["inferenceobjectives", "inferencemodelrewrites"],
    verbs: ["list", "watch"],
  },
  ...llmServiceRules,
];

/**
 * For leader election by a Lease: of one name, besides its creation, which RBAC cannot tell by name. A picker has it only
 * where --ha-enable-leader-election is set, which no plan does.
 */
export const leaseRules = (name: string) => [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [name],
    verbs: ["get", "update"],
  },
];

/** Of a picker whose endpoints are in other clusters. */
export const importPickerRules = [
  {
    apiGroups: ["inference.networking.x-k8s.io"],
    resources: ["inferencepoolimports"],
    verbs: ["list", "watch"],
  },
];

/** In the whole cluster, to ask the API server who may read the picker's metrics. */
export const metricsAuthRules = [
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];
