import { groupOf } from "../values/manifest.ts";

/** What a client has to know of a kind to create, await, update and replace its objects. */
export interface KindFacts {
  readonly apiVersion: string;
  readonly kind: string;
  /** Groups in which clusters serve the same kind under other versions. */
  readonly otherGroups?: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /**
   * Paths that an update may not touch: the API server, a webhook or the controller behind the kind refuses it,
   * so a change there replaces the object. `spec.a` covers everything below it.
   */
  readonly immutable: readonly string[];
  /** What happens first when an object is replaced under a new name. Under the same name deleting always does. */
  readonly replace: "delete-first" | "create-first";
  /**
   * When the object does its work, as a `pulumi.com/waitFor` expression. Absent where the provider awaits the
   * kind by rules of its own, where existing is enough, and where the status says nothing that can be relied on.
   */
  readonly waitFor?: string;
  /** How long waiting may take, in seconds; the provider's own limit is 600. */
  readonly timeoutSeconds?: number;
  /** Whether the provider awaits the kind unless the annotation `pulumi.com/skipAwait` is "true". */
  readonly awaitedByProvider: boolean;
}

/**
 * Holds when at least `minimum` groups of a LeaderWorkerSet are ready and every group is on its current template.
 *
 * A pending group counts as updated, so a partial start holds; a rollout that stalls does not, since the groups that
 * are ready still run the old template. Ready groups come and go above the minimum, and the provider splits an
 * expression at `>=` (pulumi-kubernetes, pkg/jsonpath). It looks at observedGeneration by itself.
 */
export function groupsReady(minimum: number): string {
  return `jsonpath={$[?@.readyReplicas > ${minimum - 1} && @.updatedReplicas == @.replicas]}`;
}

/** Some parent of a route or a pool has accepted it; there the conditions stand per parent. */
const acceptedByParent =
  'jsonpath={.status.parents[?@.conditions[?@.type == "Accepted" && @.status == "True"]]}';

/** Some parent of a route has accepted it and found what it refers to: that parent sends requests. */
const routedByParent =
  'jsonpath={.status.parents[?@.conditions[?@.type == "Accepted" && @.status == "True"] && @.conditions[?@.type == "ResolvedRefs" && @.status == "True"]]}';

const object = {
  scope: "Namespaced",
  immutable: [],
  replace: "create-first",
  awaitedByProvider: false,
} as const;

/** The kinds that plans and components use, by kind. */
export const kinds = {
  LeaderWorkerSet: {
    ...object,
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    // The webhook refuses to add, remove or resize sub-groups; StatefulSets refuse new claim templates.
    immutable: [
      "spec.leaderWorkerTemplate.subGroupPolicy",
      "spec.leaderWorkerTemplate.volumeClaimTemplates",
    ],
    // The old pods hold the accelerators that the new ones need.
    replace: "delete-first",
    waitFor: groupsReady(1),
    // Pulling an image of tens of gigabytes and loading a model takes longer than the usual ten minutes.
    timeoutSeconds: 3600,
  },
  PodGroup: {
    ...object,
    apiVersion: "scheduling.volcano.sh/v1beta1",
    kind: "PodGroup",
    // Its minResources stay reserved in the queue while it exists. No waitFor: phase is Running while replicas
    // are missing and Unknown after a node is lost, and pods come after the PodGroup.
    replace: "delete-first",
  },
  Queue: {
    ...object,
    apiVersion: "scheduling.volcano.sh/v1beta1",
    kind: "Queue",
    scope: "Cluster",
    waitFor: "jsonpath={.status.state}=Open",
  },
  InferencePool: {
    ...object,
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    waitFor: acceptedByParent,
  },
  InferencePoolImport: {
    ...object,
    apiVersion: "inference.networking.x-k8s.io/v1alpha1",
    kind: "InferencePoolImport",
  },
  InferenceObjective: {
    ...object,
    apiVersion: "llm-d.ai/v1alpha2",
    kind: "InferenceObjective",
  },
  InferenceModelRewrite: {
    ...object,
    apiVersion: "llm-d.ai/v1alpha2",
    kind: "InferenceModelRewrite",
    otherGroups: ["inference.networking.x-k8s.io"],
  },
  InferenceService: {
    ...object,
    apiVersion: "fusioninfer.io/v1alpha1",
    kind: "InferenceService",
    // Its status says when the whole service works, where a controller writes it.
    waitFor: "condition=Available",
    timeoutSeconds: 3600,
  },
  LLMServerPool: {
    ...object,
    apiVersion: "inference.x-k8s.io/v1alpha1",
    kind: "LLMServerPool",
  },
  LLMService: {
    ...object,
    apiVersion: "inference.x-k8s.io/v1alpha1",
    kind: "LLMService",
  },
  HTTPRoute: {
    ...object,
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    waitFor: routedByParent,
  },
  Gateway: {
    ...object,
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    waitFor: "condition=Programmed",
  },
  ReferenceGrant: {
    ...object,
    apiVersion: "gateway.networking.k8s.io/v1beta1",
    kind: "ReferenceGrant",
  },
  BackendTLSPolicy: {
    ...object,
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "BackendTLSPolicy",
  },
  AgentgatewayBackend: {
    ...object,
    apiVersion: "agentgateway.dev/v1alpha1",
    kind: "AgentgatewayBackend",
  },
  ServiceEntry: { ...object, apiVersion: "networking.istio.io/v1", kind: "ServiceEntry" },
  DestinationRule: { ...object, apiVersion: "networking.istio.io/v1", kind: "DestinationRule" },
  HealthCheckPolicy: { ...object, apiVersion: "networking.gke.io/v1", kind: "HealthCheckPolicy" },
  GCPBackendPolicy: { ...object, apiVersion: "networking.gke.io/v1", kind: "GCPBackendPolicy" },
  Namespace: { ...object, apiVersion: "v1", kind: "Namespace", scope: "Cluster" },
  ServiceAccount: { ...object, apiVersion: "v1", kind: "ServiceAccount" },
  Role: { ...object, apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role" },
  RoleBinding: {
    ...object,
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    immutable: ["roleRef"],
  },
  ClusterRole: {
    ...object,
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    scope: "Cluster",
  },
  ClusterRoleBinding: {
    ...object,
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    scope: "Cluster",
    immutable: ["roleRef"],
  },
  ConfigMap: { ...object, apiVersion: "v1", kind: "ConfigMap" },
  Secret: { ...object, apiVersion: "v1", kind: "Secret", immutable: ["type"] },
  NetworkPolicy: { ...object, apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
  MutatingWebhookConfiguration: {
    ...object,
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    scope: "Cluster",
  },
  ValidatingAdmissionPolicy: {
    ...object,
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    scope: "Cluster",
  },
  ValidatingAdmissionPolicyBinding: {
    ...object,
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    scope: "Cluster",
  },
  Deployment: {
    ...object,
    apiVersion: "apps/v1",
    kind: "Deployment",
    immutable: ["spec.selector"],
    awaitedByProvider: true,
  },
  PodDisruptionBudget: { ...object, apiVersion: "policy/v1", kind: "PodDisruptionBudget" },
  Service: {
    ...object,
    apiVersion: "v1",
    kind: "Service",
    immutable: ["spec.clusterIP"],
    awaitedByProvider: true,
  },
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
  const { apiVersion, otherGroups = [] } = factsOf(kind);
  return [groupOf(apiVersion), ...otherGroups].includes(groupOf(object.apiVersion))
    ? kind
    : undefined;
}

/** The facts of a kind. */
export const factsOf = (kind: Kind): KindFacts => kinds[kind];
